//go:build unix

package manager

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/BurntSushi/toml"

	"swop/config"
)

// CheckConfig refuses to start codex in an account with a config.toml that would cost it something: where a login is forced that is
// not the account's, codex says "Logging out" and deletes the login (0.169); where a database directory is named, a private account's
// databases would not be its own. A config.toml that cannot be read is codex's to complain about.
func (a Account) CheckConfig() error {
	text, err := os.ReadFile(filepath.Join(a.CodexHome(), "config.toml"))
	if err != nil || !bytes.Contains(text, []byte("forced_")) && !bytes.Contains(text, []byte("sqlite_home")) {
		return nil
	}
	var c struct {
		Method     any `toml:"forced_login_method"`
		Workspace  any `toml:"forced_chatgpt_workspace_id"`
		SQLiteHome any `toml:"sqlite_home"`
	}
	if _, err := toml.Decode(string(text), &c); err != nil {
		return nil
	}
	if c.SQLiteHome != nil && a.Meta.State == StatePrivate {
		err := unsafe("config.toml says sqlite_home, and the databases of %q are its own", a.Meta.Label)
		return config.WithHint(err, a.ownConfigHint())
	}
	if c.Method == nil && c.Workspace == nil {
		return nil
	}
	text, err = readAuth(a.AuthFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	auth, _ := parseAuth(text)
	return a.forced(auth, c.Method, texts(c.Workspace))
}

func (a Account) forced(auth authFile, method any, workspaces []string) error {
	mode := auth.mode()
	switch {
	case method == "chatgpt" && mode == "api-key":
		return a.conflict("forced_login_method", "chatgpt", "an API key")
	case method == "api" && mode == "chatgpt":
		return a.conflict("forced_login_method", "api", "a ChatGPT login")
	case len(workspaces) > 0 && mode == "chatgpt" && !slices.Contains(workspaces, auth.claims().Auth.Workspace):
		return a.conflict("forced_chatgpt_workspace_id", workspaces[0], "a login to another workspace")
	}
	return nil
}

func (a Account) conflict(key, value, has string) error {
	err := unsafe("codex would delete the login of %q: config.toml says %s = %q, and the account has %s", a.Meta.Label, key, value, has)
	return config.WithHint(err, a.ownConfigHint())
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
