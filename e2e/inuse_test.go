//go:build linux

package e2e

import (
	"path/filepath"
	"testing"
)

// A session is detected whatever happens to the shim's process: it becomes codex itself, or npm's launcher, which under an older Node starts
// codex and waits, and under a newer one becomes codex and closes the descriptors that it inherited.

func TestInUse(t *testing.T) {
	u := newUserWithAccounts(t)
	u.wantInUseBySession()
	u.ok(u.swop("rename", "work", "clients"))
	u.ok(u.swop("remove", "clients", "--yes"))
}

func TestInUseAsInstalled(t *testing.T) {
	u := newUserWithAccounts(t)
	u.runInstalled()
	u.wantInUseBySession()
}

func TestInUseUnderExecveNode(t *testing.T) {
	u := newUserWithAccounts(t)
	u.useExecveNode()
	u.wantInUseBySession()
}

func TestInUseByNative(t *testing.T) {
	u := newUserWithAccounts(t)
	u.useNative()
	u.wantInUseBySession()
}

func TestInUseByLeftCommand(t *testing.T) {
	u := newUserWithAccounts(t)
	// reap ends the sleep, which is bounded in any case
	u.ok(u.swop("run", "work", "--", "sh", "-c", "nohup sleep 300 >/dev/null 2>&1 &"))
	if got := processes(t, u.sandbox("work")); len(got) != 1 {
		t.Fatalf("processes of work: %v, want the sleep", got)
	}
	u.wantInUse(map[string]bool{"work": true, "personal": false})
	u.wantRefused("work")
	reap(t, u.sandbox("work"))
	u.wantInUse(map[string]bool{"work": false, "personal": false})
}

// TestInUseByCommandOfTheModel leaves a command running that codex started for the model. Codex kills the process group of
// a command, so only one in its own session outlives it.
func TestInUseByCommandOfTheModel(t *testing.T) {
	u := newUserWithAccounts(t)
	began := filepath.Join(u.home, "began") // else codex may kill the group before the command has left it
	u.model.Call("setsid nohup sh -c ': >" + began + "; exec sleep 300' >/dev/null 2>&1 & until [ -e " + began + " ]; do sleep 0.02; done; echo left-$((40+2))-behind")
	u.ok(u.exec("leave something", "--dangerously-bypass-approvals-and-sandbox").as("work"))
	u.turn("left-42-behind")
	if got := processes(t, u.sandbox("work")); len(got) == 0 {
		t.Fatal("the command ended with its session: nothing is proved")
	}
	u.wantInUse(map[string]bool{"work": true, "personal": false})
}

// wantInUseBySession checks that work is in use exactly while it has a session.
func (u *user) wantInUseBySession() {
	u.t.Helper()
	release := u.model.Hold()
	session := u.start(u.exec("a long think").as("work"))
	u.turn("a long think")
	u.wantInUse(map[string]bool{"work": true, "personal": false})
	u.wantRefused("work")

	release()
	if r := u.finish(session); r.status != 0 {
		u.t.Fatalf("the session exits %d: %q", r.status, r.stderr)
	}
	u.left("work")
	u.wantInUse(map[string]bool{"work": false, "personal": false})
}

// left waits until an account whose session has ended is not in use: codex leaves the shell behind that takes its snapshot, for a moment.
func (u *user) left(label string) {
	u.t.Helper()
	eventually(u.t, "the end of all that the session of "+label+" has left", func() bool { return !u.inUse(label) })
}

func (u *user) wantInUse(want map[string]bool) {
	u.t.Helper()
	for label, used := range want {
		if got := u.inUse(label); got != used {
			u.t.Errorf("list --json says in_use %v of %s, want %v", got, label, used)
		}
	}
}

// wantRefused checks that an account in use is neither removed nor renamed.
func (u *user) wantRefused(label string) {
	u.t.Helper()
	u.want(4, u.swop("remove", label, "--yes"))
	u.want(4, u.swop("rename", label, "other-name"))
	u.absent(filepath.Join(u.accounts(), "other-name"))
	u.present(filepath.Join(u.sandbox(label), "auth.json"))
}
