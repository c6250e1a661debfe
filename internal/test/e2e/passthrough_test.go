//go:build linux

package e2e

import (
	"path/filepath"
	"testing"
)

func TestNoAccount(t *testing.T) {
	u := newUser(t)
	u.login(outerLogin)
	u.ok(u.exec("nobody's prompt"))
	if got := u.turn("nobody's prompt").Bearer; got != outerLogin {
		t.Errorf("codex with no account sends %q, want %q", got, outerLogin)
	}
	u.wantLogin(u.codex("login", "status"), outerLogin)
	u.ok(u.codex("logout"))
	u.absent(filepath.Join(u.shared(), "auth.json"))
	u.absent(filepath.Join(u.home, ".swop"))
}

// TestSameAsDirect compares what a user sees of commands with and without the shim, with and without an account.
func TestSameAsDirect(t *testing.T) {
	u := newUserWithAccounts(t)
	for _, tt := range []struct {
		args   []string
		status int
	}{
		{[]string{"--version"}, 0},
		{[]string{"exec", "--help"}, 0},
		{[]string{"--no-such-flag"}, 2},
		{[]string{"swop-is-not-first", "swop", "x"}, 2},
		{execArgs("hi", "-c", "model_provider=nope"), 1},
	} {
		want := u.want(tt.status, u.direct(tt.args...))
		for _, acct := range []string{"", "work"} {
			if got := u.run(u.codex(tt.args...).as(acct)); got != want {
				t.Errorf("codex %q under %q: %+v, want %+v", tt.args, acct, got, want)
			}
		}
	}
}
