package login

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/say"
)

// CheckConfig refuses a configuration that would cost an account its login or its databases: if another kind of login is forced, codex says
// "Logging out" and deletes the login (0.59 to 0.169); if a database directory is named, a private account's databases would lie there. It
// reads all that codex may read: config.toml, the profile, overrides, the files for all users, and the .codex/config.toml of directories
// above the working directory, whether codex trusts them or not. A file that cannot be read or parsed may demand anything, and is refused.
func CheckConfig(a account.Account, call account.CodexCall) error {
	demands, err := demands(a, call)
	if err != nil || len(demands) == 0 {
		return err
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

// demand is the demand of one file or argument.
type demand struct {
	source     string // a file, or an argument
	method     any
	workspaces []string
	sqliteHome bool
}

func demands(a account.Account, call account.CodexCall) (list []demand, err error) {
	for _, file := range a.ConfigFiles(&call) {
		text, err := account.ReadConfig(file)
		if err != nil {
			return nil, unknown(a, "", err)
		}
		of, err := demandsOf(file, text, call.Profiles)
		if err != nil {
			return nil, unknown(a, file, err)
		}
		list = append(list, of...)
	}
	for _, override := range call.Overrides {
		key, value, _ := strings.Cut(override, "=")
		source := "-c " + override
		asTOML, noTOML := demandsOf(source, key+" = "+value, nil)
		asText, err := demandsOf(source, fmt.Sprintf("%s = %q", key, strings.TrimSpace(value)), nil) // as codex: a string
		if noTOML != nil && err != nil {
			return nil, unknown(a, source, err)
		}
		list = slices.Concat(list, asTOML, asText)
	}
	return list, nil
}

// unknown returns the refusal of a configuration that cannot be read.
func unknown(a account.Account, source string, err error) error {
	return disk.Unsafe("whether codex would delete the login of %q cannot be told: %s%v", a.Meta.Label, source, err)
}

// demandsOf returns the demands of a TOML text, at its top and in the chosen profiles.
func demandsOf(source, text string, profiles []string) (list []demand, err error) {
	if !account.Demanding(text) {
		return nil, nil
	}
	tree, err := config.Parse(text)
	if err != nil {
		return nil, err
	}
	tables := []map[string]any{tree}
	chosen, _ := tree["profile"].(string)
	all, _ := tree["profiles"].(map[string]any)
	for _, name := range append(profiles, chosen) {
		if table, ok := all[name].(map[string]any); ok {
			tables = append(tables, table)
		}
	}
	for _, table := range tables {
		_, sqlite := table["sqlite_home"]
		d := demand{source, table["forced_login_method"], texts(table["forced_chatgpt_workspace_id"]), sqlite}
		if d.method != nil || len(d.workspaces) > 0 || d.sqliteHome {
			list = append(list, d)
		}
	}
	return list, nil
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
	const hint = `give the account a config.toml of its own, in swop's config.toml: [accounts.%s] codex_home.private = ["config.toml"]`
	return fmt.Sprintf(hint, a.Key)
}

// texts returns the strings of a TOML value: a string, or a list of strings.
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

// CheckStore refuses a confined or bridged account if codex stores logins in no file: its sessions reach no keyring, and no stand-in can
// take the place of a login there.
func CheckStore(settings *config.Settings, m *account.Meta, sharedHome string) error {
	kind := "confined"
	if settings.Accounts[m.Key].Login != "" {
		kind = "bridged"
	} else if m.Confine == "" {
		return nil
	}
	store, err := Store(sharedHome)
	if err != nil || store == "file" || store == "auto" { // in a session auto is a file
		return err
	}
	err = disk.Unsafe("account %q is %s, and its sessions would have no login: cli_auth_credentials_store is %q", m.Label, kind, store)
	return say.WithHint(err, `write in `+filepath.Join(sharedHome, "config.toml")+`: cli_auth_credentials_store = "file"`)
}
