package session

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/test/testhome"
	"swop/shim"
)

// TestHookTrust: what is written so that the account and the shared home say the same of a hook. An account never gets trust that the
// shared home does not give, unless the user answered there since both said the same.
func TestHookTrust(t *testing.T) {
	const one, other = `{"trusted_hash":"sha256:1"}`, `{"trusted_hash":"sha256:2"}`
	const off = `{"enabled":false,"trusted_hash":"sha256:1"}`
	for _, tt := range []struct {
		name                string
		shared, own, agreed string // what is said of the hook; agreed is "-" where both never said the same
		kept                bool   // the account has a file of its own
		want                string // what is written, and where
	}{
		{name: "both trust it", shared: one, own: one, agreed: one},
		{name: "new account", shared: one, agreed: "-", want: "account " + one},
		{name: "switched off outside", shared: off, own: one, agreed: one, want: "account " + off},
		{name: "distrusted outside", own: one, agreed: one, want: "account null"},
		{name: "trusted here", own: one, want: "shared " + one},
		{name: "trusted again here", shared: one, own: other, agreed: one, want: "shared " + other},
		{name: "trusted in both places", shared: one, own: other, want: "account " + one},
		{name: "left by an earlier account", own: one, agreed: "-", want: "account null"},
		{name: "another file", shared: one, kept: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			trust := newHookTrust(t, tt.kept)
			const hook = "hooks.json:stop:0:0"
			config, noted := "", ""
			for _, said := range []struct{ home, state string }{{trust.shared[0], tt.shared}, {trust.home, tt.own}} {
				if said.state != "" {
					config += fmt.Sprintf("[hooks.state.%q]\n%s\n", filepath.Join(said.home, hook), asTOML(said.state))
				}
			}
			if tt.agreed != "-" {
				noted = fmt.Sprintf("mark\n{\"Home\":%q,\"Hooks\":{%q:%q}}", trust.home, hook, tt.agreed)
			}
			testhome.NoError(t, trust.read(trust.shared[0], config, noted))
			var got []string
			for path, answer := range trust.compare() {
				where := "shared "
				if strings.HasPrefix(path, trust.home) {
					where = "account "
				}
				got = append(got, where+cmp.Or(answer, "null"))
			}
			if want := slices.DeleteFunc([]string{tt.want}, func(s string) bool { return s == "" }); !slices.Equal(got, want) {
				t.Errorf("written: %q, want %q", got, want)
			}
		})
	}
}

// newHookTrust makes two homes; the account's hooks.json is the shared one, or its own.
func newHookTrust(t *testing.T, kept bool) *hookTrust {
	t.Helper()
	dir := disk.Resolve(t.TempDir())
	a := account.Account{Dir: filepath.Join(dir, "work")}
	shared := filepath.Join(dir, "shared")
	testhome.NoError(t, os.MkdirAll(a.CodexHome(), 0o700))
	testhome.NoError(t, os.Mkdir(shared, 0o700))
	testhome.NoError(t, os.WriteFile(filepath.Join(shared, "hooks.json"), nil, 0o600))
	own := filepath.Join(a.CodexHome(), "hooks.json")
	if kept {
		testhome.NoError(t, os.WriteFile(own, nil, 0o600))
	} else {
		testhome.NoError(t, os.Link(filepath.Join(shared, "hooks.json"), own))
	}
	d := &shim.Decision{Prepared: shim.Prepared{Account: a}}
	return &hookTrust{Decision: d, home: a.CodexHome(), shared: []string{shared}}
}

// asTOML is a flat JSON object as the lines of a table.
func asTOML(state string) string {
	lines := strings.ReplaceAll(strings.Trim(state, "{}"), ",", "\n")
	return strings.ReplaceAll(lines, `":`, `"=`)
}
