package config

import (
	"path"
	"path/filepath"
	"strings"
)

// SettingsFile is the name of the user's own configuration in [Places].Config. It is never written by us.
const SettingsFile = "config.toml"

// The values of launch and isolation.
const (
	LaunchNative      = "native"       // start the native binary that npm's launcher would start
	LaunchAsInstalled = "as-installed" // run what is on PATH as it is
	IsolateHome       = "home"         // HOME and CODEX_HOME are the sandbox's
	IsolateCodexHome  = "codex-home"   // HOME stays real, only CODEX_HOME is the sandbox's
)

// Settings is config.toml with its defaults filled in.
type Settings struct {
	Codex     string // the real codex, absolute; "" for the next one on PATH
	Launch    string
	Isolation string
	Private   Private
	Accounts  map[string]AccountSettings // by key
}

// Private lists more names that stay an account's own: patterns of path.Match, for the top of each home.
type Private struct {
	CodexHome []string
	Home      []string
}

// AccountSettings is what [accounts.LABEL] changes for one account. Patterns add to the general ones.
type AccountSettings struct {
	Isolation string // "" for the general one
	Private   Private
}

// For returns the isolation of the account with this key, and its private patterns, the general ones first.
func (s Settings) For(key string) (isolation string, private Private) {
	isolation, private = s.Isolation, s.Private
	own, ok := s.Accounts[key]
	if !ok {
		return isolation, private
	}
	if own.Isolation != "" {
		isolation = own.Isolation
	}
	private.CodexHome = append(private.CodexHome[:len(private.CodexHome):len(private.CodexHome)], own.Private.CodexHome...)
	private.Home = append(private.Home[:len(private.Home):len(private.Home)], own.Private.Home...)
	return isolation, private
}

// ReadSettings reads config.toml. A missing file gives the defaults; one that another user could write is refused.
func ReadSettings(places Places) (Settings, error) {
	file := filepath.Join(places.Config, SettingsFile)
	text, err := readTrusted(file, places)
	if err != nil {
		return Settings{}, err
	}
	return ParseSettings([]byte(text), file)
}

// ParseSettings reads the text of a config.toml; file is its name in errors. What does not parse, an unknown key, a wrong type
// or value is a [*FileError].
func ParseSettings(text []byte, file string) (Settings, error) {
	doc, err := parseDocument(string(text), file)
	if err != nil {
		return Settings{}, err
	}
	return doc.settings()
}

// FastSettings is [ReadSettings] for a file that is plain, or not there. It reports false for any other and for every defect, which
// ReadSettings tells.
func FastSettings(places Places) (Settings, bool) {
	doc, ok := readFast(places, SettingsFile)
	switch {
	case !ok:
		return Settings{}, false
	case doc.text == "":
		return defaults, true
	}
	s, err := doc.settings()
	return s, err == nil
}

var defaults = Settings{Launch: LaunchNative, Isolation: IsolateHome}

func (doc document) settings() (Settings, error) {
	s := defaults
	if err := doc.table(nil, doc.tree, "accounts", "codex", "codex_home", "home", "isolation", "launch"); err != nil {
		return Settings{}, err
	}
	for _, key := range sortedKeys(doc.tree) {
		if err := s.set(doc, key); err != nil {
			return Settings{}, err
		}
	}
	return s, nil
}

func (s *Settings) set(doc document, key string) (err error) {
	at, value := []string{key}, doc.tree[key]
	switch key {
	case "codex":
		if s.Codex, err = doc.text1(at, value); err == nil && !filepath.IsAbs(s.Codex) {
			err = doc.fail(at, "%q is not an absolute path", s.Codex)
		}
	case "launch":
		s.Launch, err = doc.oneOf(at, value, LaunchNative, LaunchAsInstalled)
	case "isolation":
		s.Isolation, err = doc.oneOf(at, value, IsolateHome, IsolateCodexHome)
	case "codex_home":
		s.Private.CodexHome, err = doc.private(at, value)
	case "home":
		s.Private.Home, err = doc.private(at, value)
	case "accounts":
		s.Accounts, err = doc.accounts(at, value)
	}
	return err
}

func (d document) accounts(at []string, value any) (map[string]AccountSettings, error) {
	t, err := d.subtable(at, value)
	if err != nil {
		return nil, err
	}
	byKey, labels := map[string]AccountSettings{}, map[string]string{}
	for _, label := range sortedKeys(t) {
		here := append(at[:len(at):len(at)], label)
		key, err := Key(label)
		if err != nil {
			return nil, d.fail(here, "%v", err)
		}
		if other, ok := labels[key]; ok {
			there := append(at[:len(at):len(at)], other)
			if d.line(there) > d.line(here) {
				here = there
			}
			return nil, d.fail(here, "the account %q has two tables", key)
		}
		labels[key] = label
		if byKey[key], err = d.account(here, t[label]); err != nil {
			return nil, err
		}
	}
	return byKey, nil
}

func (d document) account(at []string, value any) (a AccountSettings, err error) {
	t, err := d.subtable(at, value)
	if err != nil {
		return a, err
	}
	if err := d.table(at, t, "codex_home", "home", "isolation"); err != nil {
		return a, err
	}
	for _, key := range sortedKeys(t) {
		here := append(at[:len(at):len(at)], key)
		switch key {
		case "isolation":
			a.Isolation, err = d.oneOf(here, t[key], IsolateHome, IsolateCodexHome)
		case "codex_home":
			a.Private.CodexHome, err = d.private(here, t[key])
		case "home":
			a.Private.Home, err = d.private(here, t[key])
		}
		if err != nil {
			return a, err
		}
	}
	return a, nil
}

// private reads a table whose one key, private, lists patterns.
func (d document) private(at []string, value any) ([]string, error) {
	t, err := d.subtable(at, value)
	if err != nil {
		return nil, err
	}
	if err := d.table(at, t, "private"); err != nil {
		return nil, err
	}
	here := append(at[:len(at):len(at)], "private")
	list, ok := t["private"].([]any)
	if !ok && t["private"] != nil {
		return nil, d.fail(here, "want an array of strings, not %s", kind(t["private"]))
	}
	var patterns []string
	for _, item := range list {
		pattern, err := d.text1(here, item)
		if err != nil {
			return nil, err
		}
		if _, err := path.Match(pattern, ""); err != nil || strings.ContainsRune(pattern, '/') {
			return nil, d.fail(here, "%q is not a pattern for a name", pattern)
		}
		patterns = append(patterns, pattern)
	}
	return patterns, nil
}
