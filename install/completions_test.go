//go:build unix

package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/internal/testfile"
	"swop/internal/testhome"
)

// complete gives the home's install something to complete with: in each shell a function that leaves a file.
func (h *home) complete() {
	h.o.Completions = map[string]string{
		"bash": "# " + completionMark + "\ncomplete -W loaded codex\n",
		"zsh":  "#compdef codex\n# " + completionMark + "\ncompadd loaded\n",
		"fish": "# " + completionMark + "\ncomplete -c codex -f -a loaded\n",
	}
}

// A new terminal completes codex in each shell, with a configuration of its user's own or none; zsh where compinit comes before our
// lines, or after them.
func TestCompletionsInNewTerminal(t *testing.T) {
	for name, tt := range map[string]struct{ shell, file, text string }{
		"bash":            {shell: "bash"},
		"zsh":             {"zsh", ".zshrc", "autoload -U compinit; compinit -u -D\n"},
		"zsh, late":       {"zsh", ".zlogin", "autoload -U compinit; compinit -u -D\n"},
		"zsh, its own":    {"zsh", ".zshrc", "autoload -U compinit; compinit -u -D\n_codex() { compadd theirs }\ncompdef _codex codex\n"},
		"fish":            {shell: "fish"},
		"fish, its own":   {"fish", ".config/fish/completions/codex.fish", "complete -c codex -f -a theirs\n"},
		"bash, its own":   {"bash", ".bashrc", "complete -W theirs codex\n"},
		"bash, strictest": {"bash", ".bashrc", "set -u\n"},
	} {
		t.Run(name, func(t *testing.T) {
			needsShell(t, tt.shell)
			h := newHome(t, tt.shell)
			h.complete()
			h.quiet(t)
			if tt.file != "" {
				h.write(t, tt.file, tt.text)
			}
			h.install(t)
			shell := tt.shell
			if tt.file == ".zlogin" {
				shell = "zsh -l"
			}
			h.completes(t, shell, "codex l", "codex loaded")
		})
	}
}

// completes opens shell in a terminal, types a word, presses TAB and waits until the screen shows what is wanted.
func (h *home) completes(t *testing.T, shell, typed, want string) {
	t.Helper()
	w := h.open(t, shell)
	w.line(":")
	w.tmux("send-keys", typed, "Tab")
	screen := ""
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if screen = w.tmux("capture-pane", "-p"); strings.Contains(screen, want) {
			return
		}
	}
	t.Errorf("%s does not complete %q to %q but shows:\n%s", shell, typed, want, screen)
}

// What is not swop's stays, and is said.
func TestCompletionsOfOthers(t *testing.T) {
	h := newHome(t, "bash")
	h.complete()
	theirs := filepath.Join(h.prefix(), "completion", bashCompletion)
	testhome.NoError(t, os.MkdirAll(filepath.Dir(theirs), 0o755))
	testfile.Put(t, theirs, "theirs\n", 0o644)
	r := h.install(t)
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Text, theirs) || readFile(t, theirs) != "theirs\n" {
		t.Errorf("warnings %v, and the file is %q", r.Warnings, readFile(t, theirs))
	}
	h.uninstall(t)
	if readFile(t, theirs) != "theirs\n" {
		t.Errorf("uninstall changed another's file to %q", readFile(t, theirs))
	}
}
