//go:build unix

package login

import (
	"os"
	"path/filepath"
	"testing"

	"swop/internal/test/testhome"
)

// The name is taken as codex takes it, in this case only; a file that does not parse may say anything.
func TestUsesKeyring(t *testing.T) {
	for text, want := range map[string]bool{
		"": false,
		"cli_auth_credentials_store = \"keyring\"":                    true,
		"\ufeffcli_auth_credentials_store = 'auto'\r\n[[a]]\nb = 1\n": true,
		"cli_auth_credentials_store = \"file\"":                       false,
		"cli_auth_credentials_store = [\"auto\"]":                     false,
		"CLI_auth_credentials_store = \"keyring\"":                    false,
		"a = 1979-05-27\n[b]\ncli_auth_credentials_store = \"auto\"":  false,
		"cli_auth_credentials_store = ":                               true,
	} {
		home := t.TempDir()
		testhome.NoError(t, os.WriteFile(filepath.Join(home, "config.toml"), []byte(text), 0o600))
		if got := UsesKeyring(home); got != want {
			t.Errorf("UsesKeyring with %q = %t, want %t", text, got, want)
		}
	}
}
