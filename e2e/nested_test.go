//go:build linux

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// newNestedUser has two accounts, personal active, and another login outside.
func newNestedUser(t *testing.T) *user {
	t.Helper()
	u := newUserWithAccounts(t)
	u.login(outerLogin)
	u.ok(u.swop("use", "personal"))
	return u
}

func TestRunStaysInAccount(t *testing.T) {
	u := newNestedUser(t)
	inWork := func(script string) *command { return u.swop("run", "work", "--", "sh", "-c", script) }
	u.wantLogin(u.codex("login", "status"), personalLogin)
	u.wantLogin(inWork("codex login status"), workLogin)
	u.wantLogin(inWork("SWOP_ACCOUNT=personal codex login status"), personalLogin)
	u.wantLogin(inWork("SWOP_BYPASS=1 codex login status"), outerLogin)
	u.wantLogin(inWork("codex swop run personal -- codex login status"), personalLogin)
	u.wantLogin(inWork("codex swop run personal -- env SWOP_BYPASS=1 codex login status"), outerLogin)
	u.wantLogin(inWork("env -u SWOP_OUTER -u SWOP_ACCOUNT codex login status"), workLogin)
	u.wantLogin(inWork("env -u SWOP_OUTER -u SWOP_ACCOUNT SWOP_BYPASS=1 codex login status"), outerLogin)

	u.ok(inWork("codex exec --skip-git-repo-check 'nested prompt' </dev/null"))
	if got := u.turn("nested prompt").Bearer; got != workLogin {
		t.Errorf("codex inside work sends %q, want %q", got, workLogin)
	}
	if u.want(7, inWork("exit 7")); len(u.list()) != 2 {
		t.Errorf("accounts after nested calls: %v, want two", u.list())
	}
	u.absent(filepath.Join(u.accounts(), "work", "home", ".swop"))
}

// TestCommandOfTheModel makes codex run codex, as the model may ask for: in a login shell, which reads the user's profile.
func TestCommandOfTheModel(t *testing.T) {
	u := newNestedUser(t)
	u.model.Call(strings.Join([]string{
		"codex login status",
		"SWOP_BYPASS=1 codex login status",
		"SWOP_ACCOUNT=personal codex login status",
		"codex swop which --short",
	}, "\n"))
	u.ok(u.exec("ask codex who it is", "--dangerously-bypass-approvals-and-sandbox").as("work"))
	u.turn("ask codex who it is")
	r := u.turn(masked(workLogin))
	for _, want := range []string{masked(outerLogin), masked(personalLogin), "work\n"} {
		if !r.Asks(want) {
			t.Errorf("the commands of the model print no %q: %s", want, r.Output())
		}
	}
	if got := slices.Compact(u.model.Bearers()); !slices.Equal(got, []string{workLogin}) { // how often depends on how long the command takes
		t.Errorf("tokens sent: %q, want %q alone", got, workLogin)
	}
}
