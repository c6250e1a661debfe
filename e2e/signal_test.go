//go:build linux

package e2e

import (
	"syscall"
	"testing"
)

// Each session gets its signal at the shim's process id, which must be codex's own.

func TestSignals(t *testing.T) {
	u := newUserWithAccounts(t)
	u.wantSameEnds(syscall.SIGINT, syscall.SIGTERM) // npm's launcher, which runs without the shim, passes these on
}

func TestSignalsAsInstalled(t *testing.T) {
	u := newUserWithAccounts(t)
	u.runInstalled()
	u.wantSameEnds(syscall.SIGINT, syscall.SIGTERM)
}

func TestSignalsUnderExecveNode(t *testing.T) {
	u := newUserWithAccounts(t)
	u.useExecveNode()
	u.wantSameEnds(syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL)
}

func TestSignalsToNative(t *testing.T) {
	u := newUserWithAccounts(t)
	u.useNative()
	u.wantSameEnds(syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL)
}

// wantSameEnds checks that a session under the shim ends by each signal as one without it does.
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
	if err := c.Process.Signal(sig); err != nil {
		u.t.Fatal(err)
	}
	u.finish(c)
	// a shell that codex just started to look at its environment may end a moment later
	eventually(u.t, "the end of all processes after "+prompt, func() bool { return len(processes(u.t, u.home)) == 0 })
	return c.ProcessState.String()
}
