//go:build unix

package doctor

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"swop/config"
	"swop/install"
	"swop/internal/test/testhome"
)

// asked returns what a shell answers whose start-up file, of HOME, has this text.
func asked(t *testing.T, shell, file, text string, m manner, limit time.Duration) answer {
	t.Helper()
	if shell != "bash" {
		testhome.Needs(t, shell)
	}
	program, err := exec.LookPath(shell)
	testhome.NoError(t, err)
	home := t.TempDir()
	file = filepath.Join(home, file)
	// else fish fills that in the background
	for _, dir := range []string{filepath.Dir(file), filepath.Join(home, ".local/share/fish/generated_completions")} {
		testhome.NoError(t, os.MkdirAll(dir, 0o755))
	}
	testhome.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	mark := filepath.Join(home, "mark")
	env := config.Env{"HOME=" + home, "PATH=/usr/bin:/bin", "TERM=dumb", "MARK=" + mark}
	got := ask(install.Shell{Name: shell, Path: program}, m, env, limit)
	checkGone(t, mark)
	return got
}

// checkGone waits until the process whose pid a start-up file has written to the file mark has ended.
func checkGone(t *testing.T, mark string) {
	t.Helper()
	text, err := os.ReadFile(mark)
	if err != nil || len(text) == 0 {
		return // it has written none, or was killed just then
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	testhome.NoError(t, err)
	for end := time.Now().Add(patience); syscall.Kill(pid, 0) == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d of the start-up file goes on", pid)
		}
	}
}

func TestMain(m *testing.M) {
	os.Exit(testhome.Suite{Tests: m, Programs: []string{"zsh", "fish"}}.Run())
}

// rcOf are the files that an interactive shell reads.
func rcOf() map[string]string {
	return map[string]string{"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}
}

func interactive() manner { return manner{"interactive", []string{"-i"}} }

// Whatever a start-up file does, PATH comes through as the shell has it afterwards.
func TestAsk(t *testing.T) {
	for name, tt := range map[string]struct{ sh, fish string }{
		"nothing":         {"", ""},
		"noise":           {"echo swop: hello; echo oops >&2; printf '\\0\\0'", "echo swop: hello; echo oops >&2"},
		"reads stdin":     {"read -r x; cat", "read x; cat"},
		"much noise":      {"i=0; while [ $i -lt 2000 ]; do printf %1000s x; i=$((i+1)); done", "for i in (seq 2000); printf %1000s x; end"},
		"leaves a child":  {"sleep 300 & echo $! >\"$MARK\"", "sleep 300 & echo $last_pid >$MARK; disown"},
		"strict":          {"set -u", ""},
		"own functions":   {"printf() { echo mine; }; unset -f printf", ""},
		"needs a tty":     {"stty -echo </dev/tty; bind '\"x\": y' 2>/dev/null", "stty -echo </dev/tty"},
		"many":            {"PATH=/a/b/c:$PATH; i=0; while [ $i -lt 500 ]; do PATH=/p/$i:$PATH; i=$((i+1)); done", "set -gx PATH /p/(seq 500) $PATH"},
		"a space, umlaut": {"PATH='/ö x:'$PATH", "set -gx PATH '/ö x' $PATH"},
	} {
		for shell, rc := range rcOf() {
			t.Run(shell+" "+name, func(t *testing.T) {
				t.Parallel()
				text := tt.sh
				if shell == "fish" {
					text = tt.fish
				}
				first := map[bool]string{true: "set -gx PATH /first $PATH", false: "PATH=/first:$PATH"}[shell == "fish"]
				got := asked(t, shell, rc, text+"\n"+first+"\n", interactive(), patience)
				if got.err != nil || !strings.HasPrefix(got.path, "/first:") || !strings.HasSuffix(got.path, ":/bin") || got.alias != "" {
					t.Errorf("ask = %.200q, %v; want a PATH from /first to /bin", got.path, got.err)
				}
			})
		}
	}
}

// A start-up file that hangs, in whatever way, is not waited for, and what it started is gone.
func TestAskHangs(t *testing.T) {
	for name, text := range map[string]string{
		"sleep":        "echo $$ >\"$MARK\"\nsleep 300\n",
		"exec":         "echo $$ >\"$MARK\"\nexec sleep 300\n",
		"ignores TERM": "echo $$ >\"$MARK\"\ntrap '' TERM INT HUP\nwhile :; do sleep 300; done\n",
		"noise":        "echo $$ >\"$MARK\"\nwhile :; do echo noise; done\n",
	} {
		for shell, rc := range rcOf() {
			text := text
			if shell == "fish" {
				text = map[string]string{
					"sleep": "echo $fish_pid >$MARK; sleep 300", "exec": "echo $fish_pid >$MARK; exec sleep 300",
					"ignores TERM": "trap '' TERM; sleep 300", "noise": "while true; echo noise; end",
				}[name]
			}
			t.Run(shell+" "+name, func(t *testing.T) {
				t.Parallel()
				got := asked(t, shell, rc, text, interactive(), time.Second)
				if got.err == nil || !strings.Contains(got.err.Error(), "more than 1s") {
					t.Errorf("ask = %v, want an error that names the limit", got.err)
				}
			})
		}
	}
}

// One that ends the shell has no answer, with the shell's own word for it.
func TestAskEnds(t *testing.T) {
	for shell, rc := range rcOf() {
		t.Run(shell, func(t *testing.T) {
			for _, text := range []string{"exit 3\n", "exit\n", "exec true\n", "kill -9 $$\n"} {
				if shell == "fish" && strings.HasPrefix(text, "exit") {
					continue // it ends the file, not fish
				}
				if shell == "fish" {
					text = strings.ReplaceAll(text, "$$", "$fish_pid")
				}
				if got := asked(t, shell, rc, text, interactive(), patience); got.err == nil || got.path != "" {
					t.Errorf("with %q: %+v, want an error", text, got)
				}
			}
		})
	}
}

// What a shell does before its prompt counts in an interactive one, for mise and direnv work there; an alias or a function comes before
// PATH.
func TestAskInteractive(t *testing.T) {
	for _, tt := range []struct{ shell, text, path, alias string }{
		{shell: "bash", text: "hook() { PATH=/hook:$PATH; }\nPROMPT_COMMAND=hook\n", path: "/hook:"},
		{shell: "bash", text: "PROMPT_COMMAND=('echo one' 'PATH=/hook:$PATH')\n", path: "/hook:"},
		{shell: "zsh", text: "hook() { PATH=/hook:$PATH }\nprecmd_functions+=(hook)\n", path: "/hook:"},
		{shell: "zsh", text: "precmd() { PATH=/hook:$PATH }\n", path: "/hook:"},
		{shell: "fish", text: "function hook --on-event fish_prompt; set -gx PATH /hook $PATH; end\n", path: "/hook:"},
		{shell: "bash", text: "alias codex=/opt/codex\n", alias: "/opt/codex"},
		{shell: "bash", text: "codex() { /opt/codex \"$@\"; }\n", alias: "/opt/codex"},
		{shell: "zsh", text: "alias codex=/opt/codex\n", alias: "/opt/codex"},
		{shell: "zsh", text: "codex() { /opt/codex \"$@\" }\n", alias: "/opt/codex"},
		{shell: "fish", text: "alias codex=/opt/codex\n", alias: "/opt/codex"},
	} {
		t.Run(tt.shell, func(t *testing.T) {
			got := asked(t, tt.shell, rcOf()[tt.shell], tt.text, interactive(), patience)
			if !strings.HasPrefix(got.path, tt.path) || !strings.Contains(got.alias, tt.alias) {
				t.Errorf("with %q: PATH is %q, the alias %q, %v", tt.text, got.path, got.alias, got.err)
			}
		})
	}
}
