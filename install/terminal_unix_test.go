//go:build unix

package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// In a real terminal, a new shell after install runs ours, and one after uninstall does not.
func TestNewTerminal(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			needsShell(t, shell)
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
	h.open(t, shell, "80").line(line)
	return strings.TrimSpace(readFile(t, h.path("found")))
}
