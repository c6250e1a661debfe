//go:build unix

package login

import (
	"errors"
	"fmt"
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
	for _, name := range []string{a.BesideHome(), filepath.Join(a.Dir, account.ApartDir), filepath.Join(a.Dir, ".codex")} {
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
	machine, home := t.TempDir(), t.TempDir()
	account.MachineConfig = machine
	// each outranks those before it
	for _, file := range []string{machine + "/config.toml", home + "/config.toml", machine + "/managed_config.toml"} {
		testhome.PutFile(t, file, fmt.Sprintf("cli_auth_credentials_store = %q", file))
		if got, err := Store(home); got != file || err != nil {
			t.Errorf("Store with %s = %q, %v", file, got, err)
		}
	}
}

// A login that is lent for a logout is still in its place, if it cannot be.
func TestLend(t *testing.T) {
	const inside = "home/.codex/auth.json"
	for name, tt := range map[string]struct {
		leadsTo, closed string // a link's target, and a directory that cannot be written, which only an ordinary user shows
		want            string
		fails           bool
	}{
		"a login":             {want: apartAuth},
		"a link":              {leadsTo: "elsewhere", want: inside},
		"not to be moved out": {closed: "home/.codex", want: inside, fails: true},
		"nowhere to be moved": {closed: ".", want: inside, fails: true},
	} {
		if tt.closed != "" && os.Geteuid() == 0 {
			continue
		}
		a := account.Account{Key: "a", Dir: t.TempDir()}
		closed := filepath.Join(a.Dir, tt.closed)
		testhome.NoError(t, os.MkdirAll(a.CodexHome(), 0o700))
		if tt.leadsTo != "" {
			testhome.NoError(t, os.Symlink(tt.leadsTo, a.AuthFile()))
		} else {
			testhome.PutFile(t, a.AuthFile(), "{}")
		}
		if tt.closed != "" {
			testhome.NoError(t, os.Chmod(closed, 0o500))
		}
		_, lock, err := BeginChange(a, false)
		lock.Release()
		testhome.NoError(t, os.Chmod(closed, 0o700))
		_, missing := os.Lstat(filepath.Join(a.Dir, tt.want))
		if (err != nil) != tt.fails || missing != nil {
			t.Errorf("%s: BeginChange = %v; the login: %v", name, err, missing)
		}
	}
}

// A new login stays where it is if a session has led the way in its home elsewhere.
func TestEndChangeLed(t *testing.T) {
	a := account.Account{Key: "a", Dir: t.TempDir()}
	made := testhome.PutFile(t, filepath.Join(a.Dir, apartAuth), `{"OPENAI_API_KEY": "k"}`)
	testhome.NoError(t, errors.Join(os.Mkdir(a.Home(), 0o700), os.Symlink("..", a.CodexHome())))
	if changed, err := EndChange(a); changed || err == nil || testhome.TextOf(made) == "" {
		t.Errorf("EndChange = %v, %v; the new login: %q", changed, err, testhome.TextOf(made))
	}
}

// A login that was lent for a logout takes no place of one that a session renewed meanwhile.
func TestEndChangeRenewed(t *testing.T) {
	a := account.Account{Key: "a", Dir: t.TempDir()}
	testhome.PutFile(t, a.AuthFile(), `{"OPENAI_API_KEY": "old"}`)
	_, lock, err := BeginChange(a, false)
	testhome.NoError(t, err)
	lock.Release()
	testhome.PutFile(t, a.AuthFile(), "renewed")
	if changed, err := EndChange(a); changed || err != nil || testhome.TextOf(a.AuthFile()) != "renewed" {
		t.Errorf("EndChange = %v, %v; the login is %q", changed, err, testhome.TextOf(a.AuthFile()))
	}
}
