package login

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/say"
)

// CheckConfig refuses to start codex in an account with a configuration that would cost it something: where a login is forced that is
// not the account's, codex says "Logging out" and deletes the login (0.59 to 0.169); where a database directory is named, a private
// account's databases would not be its own. Looked at is all that codex may read: config.toml, the profile, overrides, and the
// .codex/config.toml of the directories above the working directory, whether codex trusts them or not. What cannot be read or parsed, or
// is nested more deeply than codex reads (80 levels), is codex's to complain about.
func CheckConfig(a account.Account, call account.CodexCall) error {
	demands := demands(a, call)
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
		if err := refuses(a, d, auth, missing); err != nil {
			return err
		}
	}
	return nil
}

// demand is what one piece of configuration asks for.
type demand struct {
	source     string // a file, or an argument
	method     any
	workspaces []string
	sqliteHome bool
}

func demands(a account.Account, call account.CodexCall) []demand {
	var list []demand
	for _, file := range a.ConfigFiles(&call) {
		text, err := disk.ReadFile(file, 0, account.MaxCodexConfig)
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

// demandsOf returns what a TOML text asks for, at its top and in the profiles that are chosen.
func demandsOf(source, text string, profiles []string) []demand {
	if !account.Demanding(text) {
		return nil
	}
	tree, ok := ConfigTree(text)
	if !ok {
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
		d := demand{source: source, method: table["forced_login_method"], workspaces: texts(table["forced_chatgpt_workspace_id"]), sqliteHome: sqlite}
		if d.method != nil || len(d.workspaces) > 0 || d.sqliteHome {
			list = append(list, d)
		}
	}
	return list
}

// ConfigTree returns what a configuration of codex holds, in no struct, which would take a name in any case. It reports false for a text
// that does not parse, or is nested too deeply.
func ConfigTree(text string) (map[string]any, bool) {
	if config.IsDeep(text) {
		return nil, false
	}
	tree := map[string]any{}
	if _, err := toml.Decode(text, &tree); err != nil {
		return nil, false
	}
	return tree, true
}

func refuses(a account.Account, d demand, auth authFile, missing bool) error {
	mode := auth.mode()
	switch {
	case d.sqliteHome && a.Meta.State == account.StatePrivate:
		err := disk.Unsafe("%s sets sqlite_home, but the databases of %q are private", d.source, a.Meta.Label)
		return say.WithHint(err, ownConfigHint(a))
	case missing:
		return nil
	case d.method == "chatgpt" && mode == "api-key":
		return conflict(a, d, "forced_login_method", "chatgpt", "an API key")
	case d.method == "api" && mode == "chatgpt":
		return conflict(a, d, "forced_login_method", "api", "a ChatGPT login")
	case len(d.workspaces) > 0 && mode == "chatgpt" && !slices.Contains(d.workspaces, auth.claims().Auth.Workspace):
		return conflict(a, d, "forced_chatgpt_workspace_id", d.workspaces[0], "a login to another workspace")
	}
	return nil
}

func conflict(a account.Account, d demand, key, value, has string) error {
	err := disk.Unsafe("codex would delete the login of %q: %s says %s = %q, and the account has %s", a.Meta.Label, d.source, key, value, has)
	if filepath.Base(d.source) == "config.toml" && filepath.Dir(d.source) == a.CodexHome() {
		return say.WithHint(err, ownConfigHint(a))
	}
	return say.WithHint(err, "use an account that is allowed there: SWOP_ACCOUNT=LABEL codex")
}

func ownConfigHint(a account.Account) string {
	return fmt.Sprintf(`give the account a config.toml of its own, in swop's config.toml: [accounts.%s] codex_home.private = ["config.toml"]`, a.Key)
}

// texts returns the strings of a TOML value that is one or a list of them.
func texts(value any) (list []string) {
	items, ok := value.([]any)
	if !ok {
		items = []any{value}
	}
	for _, item := range items {
		if s, ok := item.(string); ok {
			list = append(list, s)
		}
	}
	return list
}
