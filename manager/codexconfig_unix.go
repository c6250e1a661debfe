//go:build unix

package manager

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"swop/config"
)

// CodexCall is what of a call of codex decides which configuration it reads, beside its home.
type CodexCall struct {
	Overrides []string // the values of -c and --config: key=value
	Profiles  []string // the values of -p and --profile
	Dir       string   // the working directory, absolute, that codex is to use
	Shared    string   // the shared home, which is no project's configuration but where ~ is the project
}

// CheckConfig refuses to start codex in an account with a configuration that would cost it something: where a login is forced that is
// not the account's, codex says "Logging out" and deletes the login (0.59 to 0.169); where a database directory is named, a private
// account's databases would not be its own. Looked at is all that codex may read: config.toml, the profile, overrides, and the
// .codex/config.toml of the directories above the working directory, whether codex trusts them or not. What cannot be read or parsed is
// codex's to complain about.
func (a Account) CheckConfig(call CodexCall) error {
	demands := a.demands(call)
	if len(demands) == 0 {
		return nil
	}
	text, err := readAuth(a.AuthFile())
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return err
	}
	auth, _ := parseAuth(text)
	for _, d := range demands {
		if err := a.refuses(d, auth, missing); err != nil {
			return err
		}
	}
	return nil
}

// maxCodexConfig bounds what is read of codex's configuration, in bytes: more is no configuration.
const maxCodexConfig = 16 << 20

// demand is what one piece of configuration asks for.
type demand struct {
	source     string // a file, or an argument
	method     any
	workspaces []string
	sqliteHome bool
}

func (a Account) demands(call CodexCall) []demand {
	var list []demand
	for file := range a.configFiles(call) {
		text, _, err := config.ReadBounded(file, 0, maxCodexConfig)
		if err == nil {
			list = append(list, demandsOf(file, text, call.Profiles)...)
		}
	}
	for _, override := range call.Overrides {
		key, value, _ := strings.Cut(override, "=")
		// codex takes a value that is no TOML for a string.
		list = append(list, demandsOf("-c "+override, key+" = "+value, nil)...)
		list = append(list, demandsOf("-c "+override, fmt.Sprintf("%s = %q", key, strings.TrimSpace(value)), nil)...)
	}
	return list
}

// configFiles yields the files that codex may read, which need not exist.
func (a Account) configFiles(call CodexCall) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(a.CodexHome() + "/config.toml") {
			return
		}
		for _, profile := range call.Profiles {
			if profile != "" && !strings.ContainsRune(profile, '/') && !yield(filepath.Join(a.CodexHome(), profile+".config.toml")) {
				return
			}
		}
		for dir := filepath.Clean(call.Dir); filepath.IsAbs(dir); dir = filepath.Dir(dir) {
			project := strings.TrimSuffix(dir, "/") + "/.codex"
			reads := project != call.Shared || dir == call.Dir || isProject(dir)
			if reads && !yield(project+"/config.toml") || dir == "/" {
				return
			}
		}
	}
}

// isProject reports whether dir is the root of a git work tree, up to which codex looks for a project's configuration.
func isProject(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// demandsOf returns what a TOML text asks for, at its top and in the profiles that are chosen.
func demandsOf(source, text string, profiles []string) []demand {
	if !demanding(text) {
		return nil
	}
	var tree map[string]any
	if err := toml.Unmarshal([]byte(text), &tree); err != nil {
		return nil
	}
	tables := []map[string]any{tree}
	chosen, _ := tree["profile"].(string)
	all, _ := tree["profiles"].(map[string]any)
	for _, name := range append(profiles, chosen) {
		if table, ok := all[name].(map[string]any); ok {
			tables = append(tables, table)
		}
	}
	var list []demand
	for _, table := range tables {
		_, sqlite := table["sqlite_home"]
		d := demand{source, table["forced_login_method"], texts(table["forced_chatgpt_workspace_id"]), sqlite}
		if d.method != nil || len(d.workspaces) > 0 || d.sqliteHome {
			list = append(list, d)
		}
	}
	return list
}

func (a Account) refuses(d demand, auth authFile, missing bool) error {
	mode := auth.mode()
	switch {
	case d.sqliteHome && a.Meta.State == StatePrivate:
		err := unsafe("%s says sqlite_home, and the databases of %q are its own", d.source, a.Meta.Label)
		return config.WithHint(err, a.ownConfigHint())
	case missing:
		return nil
	case d.method == "chatgpt" && mode == "api-key":
		return a.conflict(d, "forced_login_method", "chatgpt", "an API key")
	case d.method == "api" && mode == "chatgpt":
		return a.conflict(d, "forced_login_method", "api", "a ChatGPT login")
	case len(d.workspaces) > 0 && mode == "chatgpt" && !slices.Contains(d.workspaces, auth.claims().Auth.Workspace):
		return a.conflict(d, "forced_chatgpt_workspace_id", d.workspaces[0], "a login to another workspace")
	}
	return nil
}

func (a Account) conflict(d demand, key, value, has string) error {
	err := unsafe("codex would delete the login of %q: %s says %s = %q, and the account has %s", a.Meta.Label, d.source, key, value, has)
	if filepath.Base(d.source) == "config.toml" && filepath.Dir(d.source) == a.CodexHome() {
		return config.WithHint(err, a.ownConfigHint())
	}
	return config.WithHint(err, "use an account that is allowed there: SWOP_ACCOUNT=LABEL codex")
}

func (a Account) ownConfigHint() string {
	return fmt.Sprintf(`give the account a config.toml of its own, in swop's config.toml: [accounts.%s] codex_home.private = ["config.toml"]`, a.Key)
}

// texts returns the strings of a TOML value that is one or a list of them.
func texts(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		var list []string
		for _, item := range v {
			if s, ok := item.(string); ok {
				list = append(list, s)
			}
		}
		return list
	}
	return nil
}
