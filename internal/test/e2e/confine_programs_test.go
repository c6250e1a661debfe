//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testhome"
)

// checkConfinedServer: an editor talks to a confined app-server over its standard streams.
func (tr trial) checkConfinedServer() {
	tr.env = append(tr.env, "SWOP_ACCOUNT=work")
	tr.model.Call(`cat "` + filepath.Join(tr.sandbox("personal"), "auth.json") + `" || echo "refused-$((40+2))"`)
	tr.serves(filepath.Join(tr.programs.swop, "codex"), "an editor's prompt")
	turn := tr.turn("an editor's prompt")
	if turn.Bearer != workLogin {
		tr.t.Errorf("the editor's codex sends %q", turn.Bearer)
	}
	tr.turn("refused-42")
}

// checkBundled: where the system has no bubblewrap, codex makes its own sandbox in a session with the one that the release brings.
func (tr trial) checkBundled() {
	defer tr.write(".profile", testhome.TextOf(filepath.Join(tr.home, ".profile")))
	tr.withoutBwrap()
	tr.tryConfined([]string{"--dangerously-bypass-approvals-and-sandbox"},
		[]string{"other: no", "workspace: yes", "home: no", "process: no", "commit: no"})
	tr.tryConfined([]string{"-s", "workspace-write"}, []string{"other: no", "workspace: yes", "home: no"})
}

// withoutBwrap takes the system's bubblewrap from PATH, and leaves all else there.
func (tr *trial) withoutBwrap() {
	tr.t.Helper()
	tools := filepath.Join(tr.home, "tools")
	testhome.NoError(tr.t, os.Mkdir(tools, 0o755))
	for _, dir := range []string{"/usr/bin", "/bin"} {
		entries, err := os.ReadDir(dir)
		testhome.NoError(tr.t, err)
		for _, entry := range entries {
			if entry.Name() != "bwrap" {
				_ = os.Symlink(filepath.Join(dir, entry.Name()), filepath.Join(tools, entry.Name())) // the first one counts
			}
		}
	}
	path := strings.Join([]string{tr.programs.swop, tr.programs.real, tools}, ":")
	tr.env = append(tr.env, "PATH="+path)
	tr.write(".profile", "PATH="+path+"\n")
}

// TestConfinedJob: in a terminal a confined program is a job as any other: keys reach it once, it stops and goes on, and it sees the
// window's size.
func TestConfinedJob(t *testing.T) {
	tr := newConfinedTrial(t, realcodex.Version)
	script := "trap 'n=$((n+1)); echo int-$n' INT; trap 'echo size-$(stty size | tr \" \" x)' WINCH; echo ready-$((40+2)); while read " +
		"line; do echo read-$line; done; exit 5"
	tr.write("work/job.sh", script)
	w := tr.openTerminal("PS1='prompt> ' bash --norc --noprofile -i", "SWOP_ACCOUNT=work")
	w.await("prompt>")
	w.ask("codex swop run work -- bash job.sh; echo status-$?")
	w.await("ready-42")
	w.tmux("send-keys", "C-c")
	w.await("int-1")
	w.ask("words")
	w.await("read-words")
	w.tmux("send-keys", "C-z")
	w.await("Stopped")
	w.ask("fg; echo ended-$?")
	eventually(t, "the job to read again", func() bool { // the shell drops what is typed before it has given the terminal away
		w.ask("again")
		return strings.Contains(w.screen(), "read-again")
	})
	w.tmux("resize-window", "-x", "91", "-y", "27")
	w.ask("and") // ends a read, before which bash runs no trap
	w.await("size-27x91")
	w.tmux("send-keys", "C-c")
	w.await("int-2")
	w.tmux("send-keys", "C-d")
	w.await("ended-5")
	w.ask("exit 3")
	if got := w.wait(); got != "3" {
		t.Errorf("the shell exits %q", got)
	}
}
