//go:build unix

package login

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/test/testhome"
)

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
