//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
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

func TestArguments(t *testing.T) {
	u := newUserWithAccounts(t)
	for _, prompt := range []string{
		"two\nlines\n",
		"  a 'b' \"c\" \\ $HOME * ;\t",
		"\u00e9\u4e16",
		"swop",
		strings.Repeat("long ", 20<<10), // 100 KiB, near the kernel's limit of one argument
	} {
		u.ok(u.exec(prompt).as("work"))
		if got := u.turn(prompt).Bearer; got != workLogin {
			t.Errorf("the prompt %.20q is asked with %q, want %q", prompt, got, workLogin)
		}
	}
	u.ok(u.codex("exec", "--skip-git-repo-check", "--", "--help").as("work"))
	u.turn("--help")
}

func TestStandardInput(t *testing.T) {
	u := newUserWithAccounts(t)
	prompt := "from a pipe\n" + strings.Repeat("line\n", 40<<10) // more than a pipe holds
	u.ok(u.exec("-").as("work").fed(prompt))
	if !u.turn("from a pipe").Asks(strings.TrimSpace(prompt)) {
		t.Error("the prompt from standard input does not arrive complete")
	}
}
