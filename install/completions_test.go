//go:build unix

package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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

// A new shell completes codex, with a configuration of its user's own or none; zsh where compinit comes before our lines, or after them.
func TestCompletionsInNewShell(t *testing.T) {
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
			flags := "-ic"
			if tt.file == ".zlogin" {
				flags = "-lic"
			}
			h.run(t, tt.shell, flags, map[string]string{
				"bash": "complete -p codex >found",
				"zsh":  "autoload +X $_comps[codex]; functions $_comps[codex] >found",
				"fish": "complete -C 'codex l' >found",
			}[tt.shell])
			if found := readFile(t, h.path("found")); !strings.Contains(found, "loaded") {
				t.Errorf("%s completes codex by %q", tt.shell, found)
			}
		})
	}
}

// The line on compinit is for those whose start-up files do not load it.
func TestCompletionsSayCompinit(t *testing.T) {
	for text, says := range map[string]bool{"": true, "autoload -U compinit; compinit -u -D\n": false} {
		needsShell(t, "zsh")
		h := newHome(t, "zsh")
		h.complete()
		h.quiet(t)
		h.write(t, ".zshenv", "skip_global_compinit=1\n") // the system's own, on Ubuntu
		h.write(t, ".zshrc", text)
		if notes := h.install(t).Text(); strings.Contains(notes, "compinit") != says {
			t.Errorf("with %q in .zshrc, install says %q", text, notes)
		}
	}
}

// quiet keeps the shells from writing below HOME after the test: no history, no completions that fish makes in the background.
func (h *home) quiet(t *testing.T) {
	t.Helper()
	h.setenv("HISTFILE", "/dev/null")
	h.setenv("fish_history", "")
	testhome.NoError(t, os.MkdirAll(h.path(".local/share/fish/generated_completions"), 0o755))
}

// What is not swop's stays, and is said.
func TestCompletionsOfOthers(t *testing.T) {
	h := newHome(t, "bash")
	h.complete()
	theirs := filepath.Join(h.prefix(), "completion", bashCompletion)
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
