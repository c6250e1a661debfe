//go:build unix

package login

import (
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/account"
)

// FuzzDemands reads any text as codex's config.toml, at its top or in a profile.
func FuzzDemands(f *testing.F) {
	for _, seed := range []string{
		"", `forced_login_method = "chatgpt"`, `forced_chatgpt_workspace_id = ["a", 7]`, "sqlite_home = 1", "profile = 7\nforced_", "[profiles.x]\nsqlite_home = \"/a\"",
		"profiles = 1\nforced_x = 1", "forced_login_method = [[[[", "forced_login_method = 1979-05-27T07:32:00Z", "\xffforced_", "profile = \"x\"\n[profiles]\nx = 1\nforced_ = 2",
	} {
		f.Add(seed, "x")
	}
	auth, _ := parseAuth([]byte(authWith(jwt(`{"https://api.openai.com/auth":{"chatgpt_account_id":"mine"}}`))))
	f.Fuzz(func(t *testing.T, text, profile string) {
		for _, d := range demandsOf("the file", text, []string{profile}) {
			if d.source != "the file" || d.method == nil && len(d.workspaces) == 0 && !d.sqliteHome && !d.unread {
				t.Errorf("demandsOf(%q) has %+v", text, d)
			}
			a := account.Account{Key: "work", Dir: filepath.Join("/", "a", "work"), Meta: account.Meta{Label: "work", Key: "work", State: account.StateShared}}
			if err := refuses(a, d, auth, true); err != nil {
				t.Errorf("%+v refuses an account without a login: %v", d, err)
			}
			if err := refuses(a, d, auth, false); err != nil && !strings.Contains(err.Error(), "the file says forced_") && !d.unread {
				t.Errorf("%+v is refused with %q", d, err)
			}
		}
	})
}
