//go:build unix

package main

import (
	"strings"

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
