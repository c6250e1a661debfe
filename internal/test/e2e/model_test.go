//go:build linux

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCommandOfTheModel runs what the model may ask for, in the login shell of a session: codex itself stays in its account unless it is
// told otherwise, and all other programs find what they find outside.
func TestCommandOfTheModel(t *testing.T) {
	u := newHomeUser(t)
	u.add("personal", personalLogin)
	u.login(outerLogin)
	u.ok(u.swop("use", "personal"))
	atHome := "git config user.email; npm config get prefix; bash -lc 'mine; nvm'; cat ~/.gitignore"
	outside := u.outside(atHome)
	u.model.Call(strings.Join([]string{
		"exec 2>&1", // codex reads two streams in any order
		atHome,
		"codex login status",
		"SWOP_BYPASS=1 codex login status",
		"SWOP_ACCOUNT=personal codex login status",
		"codex swop which --short",
	}, "\n"))
	u.ok(u.exec("ask codex who it is", "--dangerously-bypass-approvals-and-sandbox").as("work"))
	u.turn("ask codex who it is")
	output := u.turn(masked(workLogin)).Output()
	for _, want := range []string{outside, masked(outerLogin), masked(personalLogin), "work\n"} {
		if !strings.Contains(u.withRealHome(output), want) {
			t.Errorf("the commands of the model print no %q: %s", want, output)
		}
	}
	if got := slices.Compact(u.model.Bearers()); !slices.Equal(got, []string{workLogin}) { // how often depends on how long the command takes
		t.Errorf("tokens sent: %q, want %q alone", got, workLogin)
	}
	u.wantInUseByLeftCommand()
}

// wantInUseByLeftCommand leaves a command running that codex started for the model. Codex kills the process group of a command, so only one
// in its own session outlives it.
func (u *user) wantInUseByLeftCommand() {
	u.t.Helper()
	began := filepath.Join(u.home, "began") // else codex may kill the group before the command has left it
	u.model.Call("setsid nohup sh -c ': >" + began + "; exec sleep 300' >/dev/null 2>&1 & until [ -e " + began +
		" ]; do sleep 0.02; done; echo left-$((40+2))-behind")
	u.ok(u.exec("leave something", "--dangerously-bypass-approvals-and-sandbox").as("work"))
	u.turn("left-42-behind")
	if got := processes(u.t, u.sandbox("work")); len(got) == 0 {
		u.t.Fatal("the command ended with its session: nothing is proved")
	}
	u.wantInUse(map[string]bool{"work": true, "personal": false})
}
