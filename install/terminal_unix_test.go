//go:build unix

package install

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"swop/internal/testhome"
)

// patience is far above what a step takes, on a busy machine too.
const patience = 3 * time.Minute

// until waits for what has no event to wait on.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// A window is a shell in a terminal.
type window struct {
	t   *testing.T
	h   *home
	dir string
}

func (h *home) open(t *testing.T, command string) *window {
	t.Helper()
	testhome.Needs(t, "tmux")
	dir, err := os.MkdirTemp("", "swop-tmux-") // a short path: sockets have no room for more
	testhome.NoError(t, err)
	w := &window{t: t, h: h, dir: dir}
	w.tmux("new-session", "-d", "-x", "80", "-y", "24", "exec "+command)
	t.Cleanup(w.close)
	return w
}

// close hangs up on the shell and waits until it has ended: it may still write below HOME, which is removed then.
func (w *window) close() {
	pid, err := strconv.Atoi(strings.TrimSpace(w.tmux("display-message", "-p", "#{pane_pid}")))
	testhome.NoError(w.t, err)
	w.tmux("kill-server")
	until(w.t, "the end of the shell", func() bool { return testhome.Ended(pid) })
	if err := os.RemoveAll(w.dir); err != nil {
		w.t.Error(err)
	}
}

func (w *window) tmux(args ...string) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-S", filepath.Join(w.dir, "s"), "-f", "/dev/null"}, args...)...)
	cmd.Env, cmd.Dir = w.h.o.Env.With("TERM", "xterm").With("SHELL", "/bin/sh"), w.h.o.Home // tmux starts a shell to start ours
	out, err := cmd.CombinedOutput()
	if err != nil && ctx.Err() != nil {
		screen, _ := exec.Command("tmux", "-S", filepath.Join(w.dir, "s"), "capture-pane", "-p").Output() // for the message
		w.t.Fatalf("tmux %q: waited in vain; the terminal shows\n%s", args, screen)
	}
	if err != nil {
		w.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// line types a line and waits until it has run.
func (w *window) line(line string) {
	w.t.Helper()
	w.tmux("send-keys", line+"; tmux wait-for -S ran", "Enter")
	w.tmux("wait-for", "ran")
}

// quiet keeps the shells from writing below HOME after the test: no history, no completions that fish makes in the background.
func (h *home) quiet(t *testing.T) {
	t.Helper()
	h.setenv("HISTFILE", "/dev/null")
	h.setenv("fish_history", "")
	testhome.NoError(t, os.MkdirAll(h.path(".local/share/fish/generated_completions"), 0o755))
}
