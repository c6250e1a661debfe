//go:build linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/internal/test/testhome"
)

// A terminal is one shell command in its own tmux server.
type terminal struct {
	t      *testing.T
	dir    string // holds all of its files; short, as a socket's path has 108 bytes at most
	closed bool

	shown string // the last screen that was looked at
	size  int64  // of what had been printed before
	again time.Time
}

// terminal runs `codex` in a terminal, with additional variables, and waits until its prompt is ready.
func (u *user) terminal(vars ...string) *terminal {
	u.t.Helper()
	w := u.openTerminal("codex", vars...)
	w.await("gpt-5 default") // the status line, which appears once codex talks to its server
	return w
}

// openTerminal runs a shell command in a terminal.
func (u *user) openTerminal(command string, vars ...string) *terminal {
	u.t.Helper()
	testhome.Needs(u.t, "tmux")
	dir, err := os.MkdirTemp("", "swop-tty-")
	testhome.NoError(u.t, err)
	w := &terminal{t: u.t, dir: dir}
	u.t.Cleanup(w.remove)
	// The shell keeps the exit status, which tmux 3.3a forgets half of the time, and lives through an interrupt to do so.
	script := fmt.Sprintf("trap : INT\n%s\necho $? >%[2]s.new && mv %[2]s.new %[2]s\n", command, w.file("status"))
	for name, content := range map[string]string{"script": script, "conf": "set -g remain-on-exit on\n"} {
		testhome.NoError(u.t, os.WriteFile(w.file(name), []byte(content), 0o600))
	}
	start := exec.Command("tmux", "-f", w.file("conf"), "-S", w.file("socket"),
		"new-session", "-d", "-x", "100", "-y", "30", "sh "+w.file("script"), ";", "pipe-pane", "cat >"+w.file("printed"))
	start.Dir, start.Env = u.work, append(u.env[:len(u.env):len(u.env)], vars...)
	if out, err := start.CombinedOutput(); err != nil {
		u.t.Fatalf("%q: %v: %s", start.Args, err, out)
	}
	return w
}

func (w *terminal) file(name string) string { return filepath.Join(w.dir, name) }

// ask types prompt, as a paste so that codex takes the Enter after it for a separate key.
func (w *terminal) ask(prompt string) {
	w.t.Helper()
	w.tmux("set-buffer", prompt, ";", "paste-buffer", "-p", ";", "send-keys", "Enter")
}

// await waits until the screen shows text.
func (w *terminal) await(text string) {
	w.t.Helper()
	var screen string
	eventually(w.t, "the terminal's screen", func() bool {
		ended := w.ended()
		screen = w.screen()
		return strings.Contains(screen, text) || ended
	})
	if !strings.Contains(screen, text) {
		w.t.Fatalf("the terminal does not show %q but:\n%s", text, screen)
	}
}

// quit leaves codex by its end-of-input key and returns the exit status.
func (w *terminal) quit() string {
	w.t.Helper()
	w.tmux("send-keys", "C-d")
	return w.wait()
}

// wait waits for the end of the command and returns the exit status.
func (w *terminal) wait() string {
	w.t.Helper()
	if !eventually(w.t, "the end of the terminal's command", w.ended) {
		w.t.Fatalf("the terminal shows:\n%s", w.screen())
	}
	return strings.TrimSpace(testhome.TextOf(w.file("status")))
}

func (w *terminal) ended() bool {
	_, err := os.Stat(w.file("status"))
	return err == nil
}

// close closes the terminal's window, which hangs up on what runs there.
func (w *terminal) close() {
	if w.closed {
		return
	}
	w.closed = true
	if out, err := exec.Command("tmux", "-S", w.file("socket"), "kill-server").CombinedOutput(); err != nil {
		w.t.Errorf("tmux kill-server: %v: %s", err, out)
	}
}

func (w *terminal) remove() {
	w.close()
	err := os.RemoveAll(w.dir)
	for try := 0; err != nil && try < 100; try++ { // a shell that was hung up on may still write its history
		err = os.RemoveAll(w.dir)
	}
	testhome.NoError(w.t, err)
}

// screen is what the terminal shows. Where nothing was printed since it was last asked, tmux, a process, is asked once a second.
func (w *terminal) screen() string {
	w.t.Helper()
	info, err := os.Stat(w.file("printed"))
	if err == nil && info.Size() == w.size && time.Now().Before(w.again) {
		return w.shown
	}
	if err == nil {
		w.size, w.again = info.Size(), time.Now().Add(time.Second)
	}
	w.shown = w.tmux("capture-pane", "-p")
	return w.shown
}

func (w *terminal) tmux(args ...string) string {
	w.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", w.file("socket")}, args...)...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}
