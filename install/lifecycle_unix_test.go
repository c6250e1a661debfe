//go:build unix

package install

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"swop/internal/testhome"
)

// hangingCodex is a real codex whose login waits until the FIFO in HOME is written to.
const hangingCodex = `#!/bin/sh
case $1 in
login)
	echo $$ >"$REAL/waits.new" && mv "$REAL/waits.new" "$REAL/waits"
	read -r key <"$REAL/fifo"
	printf '{"OPENAI_API_KEY":"%s"}' "$key" >"$CODEX_HOME/auth.json" ;;
*) echo "the real codex: $*" ;;
esac
`

// In real terminals with each shell: ./install.sh, a new shell, an account, an upgrade while a login waits, the same install again, uninstall.
// The start-up files are byte for byte as before.
func TestLifeInATerminal(t *testing.T) {
	testhome.NotShort(t, "builds swop for each shell")
	testhome.Needs(t, "tmux")
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			needsShell(t, shell)
			t.Parallel()
			checkLife(t, shell)
		})
	}
}

func checkLife(t *testing.T, shell string) {
	c, h := repository(t)
	h.quiet(t)
	real := t.TempDir()
	writeFile(t, filepath.Join(real, "codex"), hangingCodex, 0o755)
	mkfifo(t, filepath.Join(real, "fifo"))
	program, err := exec.LookPath(shell)
	if err != nil {
		t.Fatal(err)
	}
	h.o.Env = h.o.Env.With("PATH", withoutCodex(c.env.Value("PATH"))+":"+real).With("SHELL", program).With("REAL", real).With("TERM", "xterm")
	h.write(t, ".bashrc", "# mine, without an end")
	h.write(t, ".zshrc", "# mine\n\n")
	h.write(t, ".config/fish/config.fish", "# mine")
	h.write(t, ".config/go/telemetry/mode", "off 2026-01-01") // else Go writes there at any time
	before := snapshot(t, h.o.Home)
	quote := posix.quote
	if shell == "fish" {
		quote = fish.quote
	}
	script := quote(filepath.Join(c.dir, "install.sh"))

	first := h.open(t, shell, "80")
	first.line("env GOFLAGS=-ldflags=-w " + script) // an older build: it differs
	old := readFile(t, filepath.Join(h.bin(), "codex-swop"))

	second := h.open(t, shell, "80")
	if got := second.out("command -v codex"); got != filepath.Join(h.bin(), "codex")+"\n" {
		t.Fatalf("a new %s finds codex at %q", shell, got)
	}
	if got := second.out("codex a b"); got != "the real codex: a b\n" {
		t.Errorf("codex prints %q", got)
	}
	second.begin("codex swop add work")
	await(t, filepath.Join(real, "waits"))

	narrow := h.open(t, shell, "20")
	said := narrow.out("env GOFLAGS= " + script)
	if text := readFile(t, filepath.Join(h.bin(), "codex-swop")); text == old || !strings.Contains(said, "changed  "+filepath.Join(h.bin(), "codex-swop")+"\n") {
		t.Errorf("the upgrade while a login waits changed nothing, or does not say it:\n%s", said)
	}
	writeFile(t, filepath.Join(real, "key"), "sk-1\n", 0o600)
	h.run(t, "sh", "-c", `cat "$REAL/key" >"$REAL/fifo"`)
	second.ended()
	if got := second.out("codex swop list"); !strings.Contains(got, "work") || !strings.Contains(got, "api-key") {
		t.Errorf("after an upgrade in the middle of a login, list says\n%s", got)
	}

	dumb := h.open(t, "env TERM=dumb "+shell, "80")
	if said := dumb.out("codex swop install"); !strings.HasPrefix(said, "nothing to change\n") {
		t.Errorf("the install again says\n%s", said)
	}
	if said := dumb.out("codex swop doctor"); strings.Contains(said, "problem") || !strings.Contains(said, "ok       "+shell+": ") {
		t.Errorf("doctor says\n%s", said)
	}
	first.line(quote(filepath.Join(h.bin(), "codex")) + " swop uninstall --purge --yes")
	if got := h.open(t, shell, "80").out("command -v codex"); got != filepath.Join(real, "codex")+"\n" {
		t.Errorf("after uninstall a new %s finds codex at %q", shell, got)
	}
	after := snapshot(t, h.o.Home)
	for path, text := range before {
		if after[path] != text {
			t.Errorf("%s is %q, want %q", path, after[path], text)
		}
	}
	for path := range after {
		name := strings.TrimPrefix(path, h.o.Home+"/")
		theirs := slices.ContainsFunc([]string{".codex", ".local/share/fish", ".config/fish", ".cache"}, func(dir string) bool { return strings.HasPrefix(name, dir) })
		if _, ok := before[path]; !ok && !theirs || strings.Contains(name, "swop") {
			t.Errorf("after uninstall %s is there", path)
		}
	}
}

// patience is far above what a step takes, a build on a busy machine too.
const patience = 3 * time.Minute

// await waits for a file.
func await(t *testing.T, file string) {
	t.Helper()
	until(t, file, func() bool { return exists(file) })
}

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

func (h *home) open(t *testing.T, command, columns string) *window {
	t.Helper()
	testhome.Needs(t, "tmux")
	dir, err := os.MkdirTemp("", "swop-tmux-") // a short path: sockets have no room for more
	if err != nil {
		t.Fatal(err)
	}
	w := &window{t: t, h: h, dir: dir}
	w.tmux("new-session", "-d", "-x", columns, "-y", "24", "exec "+command)
	t.Cleanup(w.close)
	return w
}

// close hangs up on the shell and waits until it has ended: it may still write below HOME, which is removed then.
func (w *window) close() {
	pid, err := strconv.Atoi(strings.TrimSpace(w.tmux("display-message", "-p", "#{pane_pid}")))
	if err != nil {
		w.t.Fatal(err)
	}
	w.tmux("kill-server")
	until(w.t, "the end of the shell", func() bool { return ended(pid) })
	if err := os.RemoveAll(w.dir); err != nil {
		w.t.Error(err)
	}
}

// ended says whether the process is gone, or is not waited for by its parent, which may be a container's first process.
func ended(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(text), ") Z ")
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

// begin types a line, ended waits until it has run, line does both, and out returns what it prints.
func (w *window) begin(line string) {
	w.t.Helper()
	w.tmux("send-keys", line+"; tmux wait-for -S ran", "Enter")
}

func (w *window) ended() {
	w.t.Helper()
	w.tmux("wait-for", "ran")
}

func (w *window) line(line string) {
	w.t.Helper()
	w.begin(line)
	w.ended()
}

func (w *window) out(line string) string {
	w.t.Helper()
	file := filepath.Join(w.dir, "out")
	w.line(line + " >" + file)
	return readFile(w.t, file)
}
