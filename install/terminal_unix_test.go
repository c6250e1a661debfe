//go:build unix

package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// In a real terminal, a new shell after install runs ours, and one after uninstall does not.
func TestNewTerminal(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			h := newHome(t, shell)
			h.others(t)
			h.quiet(t)
			h.install(t)
			want := filepath.Join(h.bin(), "codex")
			if got := h.typed(t, shell, "command -v codex >found"); got != want {
				t.Errorf("a new %s finds codex at %q, want %q", shell, got, want)
			}
			h.uninstall(t)
			if got := h.typed(t, shell, "command -v codex >found"); got == want || got == "" {
				t.Errorf("after uninstall a new %s finds codex at %q", shell, got)
			}
		})
	}
}

// quiet keeps the shells from writing below HOME after the test: no history, no completions that fish makes in the background.
func (h *home) quiet(t *testing.T) {
	t.Helper()
	h.setenv("HISTFILE", "/dev/null")
	h.setenv("fish_history", "")
	if err := os.MkdirAll(h.path(".local/share/fish/generated_completions"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// typed opens shell in a terminal, types line, waits until it has run and returns what it wrote to the file "found".
func (h *home) typed(t *testing.T, shell, line string) string {
	t.Helper()
	socket, err := os.MkdirTemp("", "swop-tmux-") // a short path: sockets have no room for more
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(socket)
	tmux := func(args ...string) {
		t.Helper()
		cmd := exec.Command("tmux", append([]string{"-S", filepath.Join(socket, "s"), "-f", "/dev/null"}, args...)...)
		cmd.Env, cmd.Dir = h.o.Env.With("TERM", "xterm").With("SHELL", "/bin/sh"), h.o.Home // tmux starts a shell to start ours
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("tmux %q: %v\n%s", args, err, out)
		}
	}
	tmux("new-session", "-d", "-x", "80", "-y", "24", shell)
	defer tmux("kill-server")
	tmux("send-keys", line+"; tmux wait-for -S ran", "Enter")
	tmux("wait-for", "ran")
	return strings.TrimSpace(readFile(t, h.path("found")))
}
