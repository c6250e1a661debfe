//go:build linux

package e2e

import (
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"swop/internal/test/testhome"
)

// drawn asks for the picture of the README, drawn again from a real terminal:
//
//	go test ./internal/test/e2e -run '^TestPicture$' -picture
//
// Without the flag the test compares words: those of the picture, and what a terminal shows now.
var drawn = flag.Bool("picture", false, "draw the picture of the README")

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
			return err == nil && len(text) > n && strings.HasSuffix(strings.TrimSpace(w.tmux("capture-pane", "-p")), " $")
		})
		if n < len(commands) {
			w.ask(commands[n])
		}
	}
	for _, words := range shown {
		w.await(words)
	}
	if *drawn {
		svg := drawScreen(strings.ReplaceAll(w.tmux("capture-pane", "-e", "-p"), m.home, homeInDocs))
		testhome.NoError(t, os.WriteFile(file, []byte(svg), 0o644))
	}
	text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(readText(t, file), ""))
	text = strings.Join(strings.Fields(text), " ")
	for _, words := range append(commands, shown...) {
		if !strings.Contains(text, words) {
			t.Errorf("the picture lacks %q; draw it again, and look at it: go test ./internal/test/e2e -run '^TestPicture$' -picture", words)
		}
	}
}

// colours are those of a terminal, from black to white.
var colours = [8]string{"#3b4048", "#e0605a", "#58b368", "#dcaa48", "#5b9bd8", "#b57edc", "#4fb3bf", "#d5d8df"}

// textRun is text without two spaces side by side, which SVG would take for one, after the attributes that tmux's capture-pane -e gives.
var textRun = regexp.MustCompile(`\x1b\[([\d;]*)m|(?:[^\x1b ]| [^\x1b ])+| +`)

// drawScreen draws a screen as SVG: a character is 8.4 wide, a line 20 high.
func drawScreen(screen string) string {
	var body strings.Builder
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	width, style := 0, ""
	for i, line := range lines {
		column := 0
		for _, m := range textRun.FindAllStringSubmatch(line, -1) {
			switch {
			case strings.HasPrefix(m[0], "\x1b"):
				style = styleOf(m[1])
				continue
			case strings.TrimSpace(m[0]) != "":
				length := utf8.RuneCountInString(m[0])
				fmt.Fprintf(&body, "<text x=\"%.1f\" y=\"%d\"%s textLength=\"%.1f\">%s</text>\n",
					18+float64(column)*8.4, 50+20*i, style, float64(length)*8.4, html.EscapeString(m[0]))
				width = max(width, column+length)
			}
			column += utf8.RuneCountInString(m[0])
		}
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img">
<title>the commands of this page, in a terminal</title>
<rect width="%[1]d" height="%[2]d" rx="8" fill="#16181d"/>
<circle cx="20" cy="17" r="5" fill="#e0605a"/><circle cx="38" cy="17" r="5" fill="#dcaa48"/><circle cx="56" cy="17" r="5" fill="#58b368"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#d5d8df">
%[3]s</g>
</svg>
`, int(float64(width)*8.4)+36, 50+20*len(lines), body.String())
}

// styleOf returns the attributes for what stands between "ESC [" and "m": bold, and the eight colours.
func styleOf(codes string) (attributes string) {
	for code := range strings.SplitSeq(codes, ";") {
		if n, err := strconv.Atoi(code); err == nil && n == 1 {
			attributes += ` font-weight="bold"`
		} else if err == nil && n >= 30 && n < 38 {
			attributes += fmt.Sprintf(" fill=%q", colours[n-30])
		}
	}
	return attributes
}
