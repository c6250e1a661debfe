//go:build unix

package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"swop/say"
)

// column is a column of a table for people: without lines, two spaces apart.
type column struct {
	title string
	cells []string
	most  int // the width that cells are cut to, 0 for none
}

const columnGap = 2

// newColumn returns the column with the cell of each row, safe to print on a terminal.
func newColumn[R any](title string, rows []R, cell func(R) string) column {
	c := column{title: title, cells: make([]string, 0, len(rows))}
	for _, row := range rows {
		c.cells = append(c.cells, say.Printable(cell(row)))
	}
	return c
}

// width returns how many columns of a terminal this one takes.
func (c column) width() int {
	widest := cellWidth(c.title)
	for _, cell := range c.cells {
		widest = max(widest, cellWidth(cell))
	}
	if c.most > 0 {
		widest = min(widest, c.most)
	}
	return widest
}

func cellWidth(s string) int { return text.StringWidthWithoutEscSequences(s) }

// tableWidth returns the width of the columns side by side.
func tableWidth(columns []column) int {
	width := columnGap * (len(columns) - 1)
	for _, c := range columns {
		width += c.width()
	}
	return width
}

// layTable returns the lines of the table, the titles first, without spaces at their ends.
func layTable(columns []column) []string {
	lines := make([]string, 1+len(columns[0].cells))
	for _, c := range columns {
		width := c.width()
		for row, cell := range append([]string{c.title}, c.cells...) {
			cell = cut(cell, width)
			lines[row] += cell + strings.Repeat(" ", width-cellWidth(cell)+columnGap)
		}
	}
	for row, line := range lines {
		lines[row] = strings.TrimRight(line, " ")
	}
	return lines
}

// cut returns s, or if it is wider than width its beginning and an ellipsis.
func cut(s string, width int) string {
	if cellWidth(s) <= width {
		return s
	}
	return text.Snip(s, width, "…")
}

// cutStart returns s, or if it is wider than width an ellipsis and its end.
func cutStart(s string, width int) string {
	if cellWidth(s) <= width {
		return s
	}
	rest := []rune(s)
	for cellWidth(string(rest)) >= width {
		rest = rest[1:]
	}
	return "…" + string(rest)
}

// day ignores changes of the clock.
const day = 24 * time.Hour

// ago returns the time since t in its largest unit, or the date if t is in the future.
func ago(now time.Time, t *time.Time) string {
	if t == nil {
		return "never"
	}
	d := now.Sub(*t)
	switch {
	case d < -time.Minute:
		return t.Format(time.DateOnly)
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	case d < 60*day:
		return fmt.Sprintf("%d days ago", d/day)
	case d < 730*day:
		return fmt.Sprintf("%d months ago", d/(30*day))
	}
	return fmt.Sprintf("%d years ago", d/(365*day))
}

// counted returns the number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
