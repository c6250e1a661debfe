//go:build linux

package e2e

import (
	"maps"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"swop/internal/test/testhome"
)

// A session is detected, and gets its signals, whatever happens to the shim's process: it becomes codex itself, or npm's launcher, which
// under an older Node starts codex and waits, and under a newer one becomes codex and closes the descriptors that it inherited.
func TestSession(t *testing.T) {
	t.Parallel()
	starts := map[string]struct {
		prepare func(*user)
		signals []syscall.Signal // npm's launcher passes the first two on
	}{
		"native in place of the launcher": {func(*user) {}, []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}},
		"launcher":                        {(*user).runInstalled, []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}},
		"launcher that becomes codex":     {(*user).useExecveNode, []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}},
		"native":                          {(*user).useNative, []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}},
	}
	for _, name := range sampled(slices.Collect(maps.Keys(starts)), "native in place of the launcher", "launcher that becomes codex") {
		t.Run(name, func(t *testing.T) {
			u := newUserWithAccounts(t)
			starts[name].prepare(u)
			u.wantInUseBySession()
			u.wantSameEnds(starts[name].signals...)
		})
	}
}

// wantInUseBySession checks that work is in use, and neither removed nor renamed, exactly while it has a session.
func (u *user) wantInUseBySession() {
	u.t.Helper()
	release := u.model.Hold()
	session := u.start(u.exec("a long think").as("work"))
	u.turn("a long think")
	u.wantInUse(map[string]bool{"work": true, "personal": false})
	u.want(4, u.swop("remove", "work", "--yes"))
	u.want(4, u.swop("rename", "work", "other-name"))
	u.absent(filepath.Join(u.accounts(), "other-name"))
	u.present(filepath.Join(u.sandbox("work"), "auth.json"))
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

// wantSameEnds checks that a session under the shim ends by each signal as one without it does: the signal goes to the shim's process id,
// which must be codex's own.
func (u *user) wantSameEnds(signals ...syscall.Signal) {
	u.t.Helper()
	u.login(outerLogin)
	defer u.model.Hold()()
	for _, sig := range signals {
		want := u.end(sig, "direct "+sig.String(), u.direct)
		if got := u.end(sig, "shim "+sig.String(), u.codex); got != want {
			u.t.Errorf("%v ends the session with %v, want %v", sig, got, want)
		}
	}
}

// end is how a session ends that gets the signal while the model thinks. No process of it may be left.
func (u *user) end(sig syscall.Signal, prompt string, codex func(...string) *command) string {
	u.t.Helper()
	c := u.start(codex(execArgs(prompt)...).as("work"))
	u.turn(prompt)
	testhome.NoError(u.t, c.Process.Signal(sig))
	u.finish(c)
	// a shell that codex just started to look at its environment may end a moment later
	eventually(u.t, "the end of all processes after "+prompt, func() bool { return len(processes(u.t, u.home)) == 0 })
	return c.ProcessState.String()
}
