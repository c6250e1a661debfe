//go:build linux

package e2e

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// TestPicture types the commands of the README's picture, as a user of whose accounts one is nearly at its limit, with the prompt of
// docs/shell-prompt.md.
func TestPicture(t *testing.T) {
	testhome.Needs(t, "tmux")
	const file = "../../../docs/picture.svg"
	m := newUsageReader(t)
	m.ok(m.swop("use", "work"))
	prompt := ""
	for _, b := range readPage(t, "docs/shell-prompt.md") {
		if b.language == "bash" {
			prompt += b.text
		}
	}
	ended := filepath.Join(t.TempDir(), "ended")
	m.write(".scene", `PS1='\[\e[1;34m\]\w $\[\e[0m\] '`+"\n"+prompt+"\nPROMPT_COMMAND='echo >>"+ended+"'\n")
	w := m.openTerminal("bash --rcfile ~/.scene -i")
	w.tmux("resize-window", "-x", "45")
	commands, shown := []string{"codex swop usage", "codex swop use personal"}, []string{"4 % till", "(personal) ~/work $"}
	for n := range len(commands) + 1 {
		eventually(t, "the shell's prompt", func() bool {
			text, err := os.ReadFile(ended)
			return err == nil && len(text) > n && strings.HasSuffix(strings.TrimSpace(w.screen()), " $")
		})
		if n < len(commands) {
			w.ask(commands[n])
		}
	}
	for _, words := range shown {
		w.await(words)
	}
	text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(testhome.TextOf(file), ""))
	text = strings.Join(strings.Fields(text), " ")
	for _, words := range append(commands, shown...) {
		if !strings.Contains(text, words) {
			t.Errorf("the picture lacks %q, which the terminal shows now: change its text", words)
		}
	}
}
