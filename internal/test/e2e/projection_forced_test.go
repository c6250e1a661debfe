//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testhome"
)

// TestForcedLogin has a config.toml for which codex deletes a login by API key: swop refuses before codex runs.
func TestForcedLogin(t *testing.T) {
	tr := newTrial(t, release{version: realcodex.Version})
	tr.addBoth()
	tr.login(outerLogin)
	tr.write(".codex/config.toml", "forced_login_method = \"chatgpt\"\n"+tr.config())
	for label, key := range keys {
		tr.wantForcedRefused(label, key, tr.exec("never asked").as(label))
		tr.want(1, tr.codex("login", "status").as(label)) // codex calls this no login, and keeps it
		tr.wantForcedRefused(label, key, tr.codex("resume", "--last").as(label))
	}
	tr.wantHintHelps("work")
	tr.wantForcedRefused("personal", personalLogin, tr.exec("never asked").as("personal"))

	// with no account swop leaves it to codex
	if r := tr.want(1, tr.exec("never asked")); !strings.Contains(r.stderr, "Logging out") {
		t.Errorf("without an account codex says %q; codex-home.md says otherwise", r.stderr)
	}
	tr.absent(filepath.Join(tr.shared(), "auth.json"))
	if got := tr.model.Bearers(); !slices.Equal(got, []string{workLogin}) {
		t.Errorf("tokens sent: %q, want %q alone", got, workLogin)
	}
}

// wantForcedRefused checks that swop refuses c with a way out, and that the account keeps its login.
func (tr trial) wantForcedRefused(label, key string, c *command) {
	tr.t.Helper()
	r := tr.want(125, c)
	if !strings.HasPrefix(r.stderr, "swop: ") || !strings.Contains(r.stderr, "swop: hint: ") || r.stdout != "" {
		tr.t.Errorf("%s says %q and %q, want a refusal with a hint on stderr alone", c, r.stdout, r.stderr)
	}
	if text, err := os.ReadFile(filepath.Join(tr.sandbox(label), "auth.json")); !strings.Contains(string(text), key) {
		tr.t.Errorf("the login of %s is %q, %v, want the key", label, text, err)
	}
}

// wantHintHelps does as the hint says: the account gets its own config.toml.
func (tr trial) wantHintHelps(label string) {
	tr.t.Helper()
	tr.write(".config/swop/config.toml", "[accounts."+label+"]\ncodex_home.private = [\"config.toml\"]\n")
	tr.want(1, tr.swop("doctor", "--fix")) // the other account's problem stays
	testhome.NoError(tr.t, os.WriteFile(filepath.Join(tr.sandbox(label), "config.toml"), []byte(tr.config()), 0o600))
	tr.says(tr.exec("<as the hint says>").as(label))
	tr.wantBearer("<as the hint says>", keys[label])
}
