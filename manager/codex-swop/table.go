//go:build unix

package main

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"swop/say"
)

// column is a column of a table for people, which has no lines: two spaces part the columns.
type column struct {
	title string
	cells []string
	most  int // cells are cut to this width; 0: none is
}

const columnGap = 2

// newColumn returns the column with the cell of each row, as a terminal may be given it.
func newColumn[R any](title string, rows []R, cell func(R) string) column {
	c := column{title: title, cells: make([]string, 0, len(rows))}
	for _, row := range rows {
		c.cells = append(c.cells, say.Printable(cell(row)))
	}
	return c
}

// width is how many cells of a terminal the column takes.
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

// tableWidth is the width of the columns side by side.
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
	last := len(columns) - 1
	for i, c := range columns {
		width := c.width()
		for row := range lines {
			cell := c.title
			if row > 0 {
				cell = c.cells[row-1]
			}
			cell = cut(cell, width)
			if i < last {
				cell += strings.Repeat(" ", width-cellWidth(cell)+columnGap)
			}
			lines[row] += cell
		}
	}
	for row, line := range lines {
		lines[row] = strings.TrimRight(line, " ")
	}
	return lines
}

// cut returns s, or as much of its beginning as leaves room for the sign that it goes on.
func cut(s string, width int) string {
	if cellWidth(s) <= width {
		return s
	}
	return text.Snip(s, width, "…")
}
