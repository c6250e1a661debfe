// Package picture draws what a terminal shows as an SVG of a few kilobytes.
package picture

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// The sizes of a character at 14 px, and the room around the text.
const (
	charWidth  = 8.4
	lineHeight = 20
	margin     = 18
	top        = 50 // the bar with the title lies above the text
)

// SVG draws a screen as tmux's capture-pane -e gives it: lines of text with colours and attributes (SGR) and nothing else. Every
// other escape is an error. Trailing empty lines are left out.
func SVG(title, screen string) (string, error) {
	var body strings.Builder
	var now style
	width, height := 0, 0
	for i, line := range strings.Split(screen, "\n") {
		runs, after, err := split(line, now)
		if err != nil {
			return "", fmt.Errorf("line %d: %w", i+1, err)
		}
		if w := draw(&body, i, runs); w > 0 {
			width, height = max(width, w), i+1
		}
		now = after
	}
	return frame(title, width, height, body.String()), nil
}

// A run is text of one style.
type run struct {
	text string
	style
}

// split cuts a line into runs. The style at its end goes on in the next line.
func split(line string, now style) ([]run, style, error) {
	var runs []run
	for line != "" {
		text, rest, escaped := strings.Cut(line, "\x1b")
		if text != "" {
			runs = append(runs, run{text, now})
		}
		if !escaped {
			break
		}
		codes, after, ok := strings.Cut(rest, "m")
		codes, isCSI := strings.CutPrefix(codes, "[")
		if !ok || !isCSI {
			return nil, now, fmt.Errorf("unknown escape %.10q", rest)
		}
		var err error
		if now, err = now.with(codes); err != nil {
			return nil, now, err
		}
		line = after
	}
	return runs, now, nil
}

// draw writes a line's runs and returns its width in characters, without the room after the last.
func draw(out *strings.Builder, line int, runs []run) int {
	column, width := 0, 0
	y := top + line*lineHeight
	for _, r := range runs {
		n := utf8.RuneCountInString(r.text)
		x := margin + float64(column)*charWidth
		if r.background != "" {
			fmt.Fprintf(out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", x, y-15, float64(n)*charWidth, lineHeight, r.background)
		}
		for _, c := range cells(r.text) {
			length := utf8.RuneCountInString(c.text)
			fmt.Fprintf(out, "<text x=\"%.1f\" y=\"%d\"%s textLength=\"%.1f\">%s</text>\n",
				x+float64(c.column)*charWidth, y, r.attributes(), float64(length)*charWidth, html.EscapeString(c.text))
			width = column + c.column + length
		}
		column += n
	}
	return width
}

// A cell is text without two spaces side by side, which SVG would take for one.
type cell struct {
	column int
	text   string
}

func cells(text string) []cell {
	var found []cell
	column := 0
	for part := range strings.SplitSeq(text, "  ") {
		trimmed := strings.TrimLeft(part, " ")
		if trimmed != "" {
			found = append(found, cell{column + len(part) - len(trimmed), strings.TrimRight(trimmed, " ")})
		}
		column += utf8.RuneCountInString(part) + 2
	}
	return found
}

func frame(title string, columns, lines int, body string) string {
	width, height := int(float64(columns)*charWidth)+2*margin, top+lines*lineHeight
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img">
<title>%[3]s</title>
<rect width="%[1]d" height="%[2]d" rx="8" fill="#16181d"/>
<circle cx="20" cy="17" r="5" fill="#e0605a"/><circle cx="38" cy="17" r="5" fill="#dcaa48"/><circle cx="56" cy="17" r="5" fill="#58b368"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#d5d8df">
%[4]s</g>
</svg>
`, width, height, html.EscapeString(title), body)
}
