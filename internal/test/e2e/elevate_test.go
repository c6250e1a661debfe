//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/e2e/responses"
	"swop/internal/test/testhome"
)

// checkElevation: a write is denied, the model asks for the directory in the terminal interface, the user allows it in another terminal,
// and the command that it was asked for writes there, and nothing after it. The denied write and the answered question stand in the
// transcript.
func (tr trial) checkElevation() {
	t := tr.t
	data := filepath.Join(tr.home, "data")
	tr.mkdir("data")
	ask := "codex swop ask --write " + data + " --reason 'a report' -- sh -c 'touch " + data + "/given && echo wrote-$((40+2))'"
	tr.model.Call("touch " + data + "/before; " + ask + "; touch " + data + "/after; echo ends-$((40+2))")
	w := tr.openTerminal("codex -m test-model --dangerously-bypass-approvals-and-sandbox", "SWOP_ACCOUNT=work")
	w.await(tr.prompt())
	w.ask("elevate")
	id := tr.awaitQuestion("pending: write " + data)
	if screen := w.screen(); strings.Contains(screen, "answer in another terminal") {
		t.Errorf("the question is printed over the full-screen program:\n%s", screen)
	}
	tr.ok(tr.swop("allow", id))
	tr.turn("ends-42")
	w.await(responses.Reply)
	if !testhome.Exists(filepath.Join(data, "given")) || testhome.Exists(filepath.Join(data, "after")) {
		t.Errorf("given: %t, after the command: %t, want true, false", testhome.Exists(filepath.Join(data, "given")),
			testhome.Exists(filepath.Join(data, "after")))
	}
	if got := w.quit(); got != "0" {
		t.Errorf("the terminal interface exits %q", got)
	}
	text := ""
	for _, file := range tr.transcripts(filepath.Join(tr.sandbox("work"), "sessions")) {
		text += testhome.TextOf(file)
	}
	for _, want := range []string{"cannot touch '" + data + "/before'", "wrote-42"} {
		if !strings.Contains(text, want) {
			t.Errorf("no transcript has %q", want)
		}
	}
}

// awaitQuestion waits until codex swop allow shows text, and returns the ID before it.
func (tr trial) awaitQuestion(text string) string {
	tr.t.Helper()
	var out string
	if !eventually(tr.t, "the question", func() bool {
		out = strings.Join(strings.Fields(tr.ok(tr.swop("allow")).stdout), " ")
		return strings.Contains(out, text)
	}) {
		tr.t.Fatalf("codex swop allow prints %q, want %q", out, text)
	}
	before := strings.Fields(out[:strings.Index(out, text)])
	return before[len(before)-1]
}

// TestElevationInOwnSandbox: a command in codex's own sandbox can ask where that has the network, and else is told so.
func TestElevationInOwnSandbox(t *testing.T) {
	tr := newConfinedTrial(t, realcodex.Version)
	data := filepath.Join(tr.home, "data")
	tr.mkdir("data")
	ask := "codex swop ask --write " + data + " --timeout 10ms; echo ends-$((40+2))"
	for _, tt := range []struct {
		flags []string
		want  string
	}{
		{[]string{"-s", "workspace-write"}, "run this without that sandbox"},
		{[]string{"-s", "workspace-write", "-c", "sandbox_workspace_write.network_access=true"}, `"state": "unanswered"`},
	} {
		tr.model.Call(ask)
		tr.ok(tr.exec("ask", tt.flags...).as("work"))
		if got := tr.turn("ends-42").Output(); !strings.Contains(got, tt.want) {
			t.Errorf("%q: the command prints %q, want %q", tt.flags, got, tt.want)
		}
	}
}
