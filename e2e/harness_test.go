//go:build linux

package e2e

import (
	"testing"

	"swop/e2e/responses"
)

// The real codex alone, without swop: what the other tests measure against.

func TestHarnessExec(t *testing.T) {
	u := newUserWithoutSwop(t)
	u.login("sk-alone-0123456789-alone")
	r := u.ok(u.exec("harness, are you there?"))
	if got, want := r.stdout, responses.Reply+"\n"; got != want {
		t.Errorf("codex exec prints %q, want %q", got, want)
	}
	if got, want := u.turn("harness, are you there?").Bearer, "sk-alone-0123456789-alone"; got != want {
		t.Errorf("codex exec sends %q, want %q", got, want)
	}
}

func TestHarnessShellCall(t *testing.T) {
	u := newUserWithoutSwop(t)
	u.login("sk-alone-0123456789-alone")
	u.model.Call("echo from-the-$((40+2))-shell")
	u.ok(u.exec("run it", "--dangerously-bypass-approvals-and-sandbox"))
	u.turn("from-the-42-shell")
}

func TestHarnessTerminal(t *testing.T) {
	u := newUserWithoutSwop(t)
	u.login("sk-alone-0123456789-alone")
	w := u.terminal()
	w.ask("harness, do you see me?")
	if got, want := u.turn("harness, do you see me?").Bearer, "sk-alone-0123456789-alone"; got != want {
		t.Errorf("the TUI sends %q, want %q", got, want)
	}
	w.await(responses.Reply)
	if got := w.quit(); got != "0" {
		t.Errorf("the TUI exits %q, want %q", got, "0")
	}
	if len(processes(t, u.home)) < 2 {
		t.Errorf("no server outlives the TUI: the tests for servers prove nothing")
	}
}
