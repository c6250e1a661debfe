//go:build unix

package login

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/account"
	"swop/internal/test/testhome"
)

// A file that cannot be seen, as behind a link that leads to itself, is not taken for a missing one.
func TestUnseen(t *testing.T) {
	a := account.Account{Key: "a", Dir: t.TempDir(), Meta: account.Meta{Confine: config.ConfineReadOnly}}
	for _, name := range []string{a.BesideHome(), filepath.Join(a.Dir, apartDir), filepath.Join(a.Dir, ".codex")} {
		testhome.NoError(t, os.Symlink(name, name))
	}
	if file := a.AuthFile(); filepath.Dir(file) != a.BesideHome() {
		t.Errorf("the login is %s", file)
	}
	if _, err := EndChange(a); err == nil {
		t.Error("a change of the login has ended")
	}
	if text, err := account.ReadConfig(filepath.Join(a.Dir, ".codex", "config.toml")); err == nil {
		t.Errorf("codex's configuration is %q", text)
	}
}

// The name is taken as codex takes it, in this case only; a file that does not parse tells nothing, and nor does one that cannot be read.
func TestStore(t *testing.T) {
	for text, want := range map[string]string{
		"": "file",
		"cli_auth_credentials_store = \"keyring\"":                    "keyring",
		"\ufeffcli_auth_credentials_store = 'auto'\r\n[[a]]\nb = 1\n": "auto",
		"cli_auth_credentials_store = [\"auto\"]":                     "file",
		"CLI_auth_credentials_store = \"keyring\"":                    "file",
		"a = 1979-05-27\n[b]\ncli_auth_credentials_store = \"auto\"":  "file",
		"cli_auth_credentials_store = ":                               "",
		"a = " + strings.Repeat("[", 1<<20):                           "",
	} {
		home := t.TempDir()
		file := testhome.PutFile(t, filepath.Join(home, "config.toml"), text)
		if got, err := Store(home); got != want || (err != nil) != (want == "") {
			t.Errorf("Store with %.100q = %q, %v, want %q", text, got, err, want)
		}
		testhome.NoError(t, errors.Join(os.Remove(file), unix.Mkfifo(file, 0o600)))
		if got, err := Store(home); err == nil {
			t.Errorf("Store with a FIFO = %q", got)
		}
	}
}
