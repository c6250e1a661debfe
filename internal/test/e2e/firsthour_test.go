//go:build linux

package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testhome"
	"swop/shim"
)

var keepScreens = flag.Bool("first-hour", false, "write the screens of the first hour to testdata/firsthour.txt")

// hidden are programs that the other tests use, and that a new machine lacks.
var hidden = []string{
	"bwrap", "strace", "gh", "ssh", "sqlite3", "rsync", "stow", "vim", "direnv", "jq", "shellcheck", "cargo", "jj",
	"gcc", "docker",
}

// startUp is the shell's start-up file, which makes a prompt by which the test sees that a command has ended.
const startUp = "PS1='[$?] $ '\nPS2=\n"

// TestFirstHour types what a new user types, from the clone on, in bash, on a machine that has Go, git and npm's codex. The screens are in
// testdata/firsthour.txt.
func TestFirstHour(t *testing.T) {
	testhome.Needs(t, "tmux")
	u := newUserWithoutSwop(t)
	u.work = filepath.Join(u.home, "swop")
	newClone(t, u.work)
	u.write(".codex/config.toml", u.model.Config()+"\n[projects.\""+u.work+"\"]\ntrust_level = \"trusted\"\n")
	u.write(".bashrc", startUp)
	u.write("hide.sh", hideScript())
	u.env = append(append(u.env, goEnv(t)...), "PATH="+u.tools("go")+":"+
		config.Env(u.env).Value("PATH"), "SHELL=/bin/bash", "OPENAI_API_KEY="+workLogin)
	playFirstHour(u)
}

// hideScript hides the programs from what it execs: a mount over a program takes its right to be executed.
func hideScript() string {
	var b strings.Builder
	for _, name := range hidden {
		fmt.Fprintf(&b, "for f in /usr/local/bin/%[1]s /usr/bin/%[1]s /bin/%[1]s; do [ ! -f $f ] || mount --bind /dev/null $f || exit 99; "+
			"done\n", name)
	}
	return b.String() + "exec \"$@\"\n"
}

// hour is a terminal in which commands are typed.
type hour struct {
	*terminal
	prompts int
}

var prompt = regexp.MustCompile(`(?m)^(?:\(later\) )?\[\d+\] \$`)

func playFirstHour(u *user) {
	unshare := "unshare -m"
	if os.Geteuid() != 0 {
		unshare = "unshare -c -m --keep-caps"
	}
	w := u.openTerminal(fmt.Sprintf("%s sh %s/hide.sh bash -i", unshare, u.home))
	w.tmux("resize-window", "-x", "220", "-y", "50")
	h := &hour{terminal: w}
	h.awaitPrompt()
	for _, line := range []string{
		"./install.sh",
		"~/.local/share/swop/bin/codex swop use nobody",
		"exec bash",
		"codex swop",
		"printenv OPENAI_API_KEY | codex swop add work --with-api-key",
		"codex swop which",
		"codex login status",
	} {
		h.enter(line)
	}
	h.answer("codex swop login work", "Replace it? [y/N]", "n", "Enter")
	h.answer("codex login", "Replace it? [y/N]", "C-d")
	h.answer("env SWOP_ACCOUNT=zebra codex exec hi", "[y/N]", "C-c")
	for _, line := range []string{
		"codex exec hi </dev/null 2>/dev/null",
		"codex swop add later --no-login",
		"codex swop bind later", "codex swop bind", "codex swop unbind",
		"codex swop list",
		"codex swop lst",
		"codex swop doctor",
		"./install.sh --uninstall --yes",
	} {
		h.enter(line)
	}
	screen := u.normal(h.tmux("capture-pane", "-p", "-J", "-S", "-"))
	const file = "testdata/firsthour.txt"
	if *keepScreens {
		testhome.NoError(u.t, os.WriteFile(file, []byte(screen), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	if err != nil || screen != string(want) {
		u.t.Errorf("the screens of the first hour are (%v):\n%s\nwant:\n%s\nif that is right: go test ./internal/test/e2e -run "+
			"'^TestFirstHour$' -first-hour", err, screen, want)
	}
}

// enter types a line and waits for the next prompt.
func (h *hour) enter(line string) {
	h.t.Helper()
	h.tmux("send-keys", "-l", line)
	h.tmux("send-keys", "Enter")
	h.awaitPrompt()
}

// answer types a line that asks a question, and answers it with keys.
func (h *hour) answer(line, question string, keys ...string) {
	h.t.Helper()
	before := strings.Count(h.screens(), question)
	h.tmux("send-keys", "-l", line)
	h.tmux("send-keys", "Enter")
	if !eventually(h.t, "the question of "+line, func() bool { return strings.Count(h.screens(), question) > before }) {
		h.t.Fatalf("the terminal shows:\n%s", h.screens())
	}
	h.tmux(append([]string{"send-keys"}, keys...)...)
	h.awaitPrompt()
}

func (h *hour) screens() string { return h.tmux("capture-pane", "-p", "-J", "-S", "-") }

func (h *hour) awaitPrompt() {
	h.t.Helper()
	h.prompts++
	if !within(h.t, ages, "a prompt", func() bool { return len(prompt.FindAllString(h.screens(), -1)) >= h.prompts }) {
		h.t.Fatalf("the terminal shows:\n%s", h.screens())
	}
}

// normal returns the screens without what differs between machines and runs.
func (u *user) normal(screen string) string {
	var lines []string
	for line := range strings.Lines(screen) {
		line = strings.TrimRight(line, " \n")
		if strings.Contains(line, "confinement: ") || strings.HasPrefix(strings.TrimSpace(line), "hint: apt") {
			continue
		}
		lines = append(lines, line)
	}
	text := strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
	text = strings.ReplaceAll(text, u.programs.real, "/REAL")
	text = strings.ReplaceAll(text, u.home, "/HOME")
	for _, release := range []string{realcodex.Version, shim.NewestTested} {
		text = strings.ReplaceAll(text, release, "RELEASE")
	}
	text = strings.ReplaceAll(text, ": this one is newer than tested", "")
	for pattern, to := range map[string]string{`go1\.\d+(\.\d+)?`: "GO", `  +`: "  ", `just now|\d+ min ago`: "TIME"} {
		text = regexp.MustCompile(pattern).ReplaceAllString(text, to)
	}
	return text
}
