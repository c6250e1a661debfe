package terminal

import (
	"slices"
	"strings"

	"swop/internal/say"
)

// Column is a column of a table for people: without lines, two spaces apart.
type Column struct {
	Title string // " " for that of the marks
	Cells []string
	Least int // the width that cells may be cut to on a narrow terminal, 0 if they must not be cut
}

const columnGap = 2

// NewColumn returns the column with the cell of each row, safe to print on a terminal.
func NewColumn[R any](title string, rows []R, cell func(R) string) Column {
	c := Column{Title: title, Cells: make([]string, 0, len(rows))}
	for _, row := range rows {
		c.Cells = append(c.Cells, say.Printable(cell(row)))
	}
	return c
}

// IsEmpty reports whether no row has anything in the column.
func (c Column) IsEmpty() bool { return strings.Join(c.Cells, "") == "" }

// Width returns the width that the column takes.
func (c Column) Width() int {
	widest := Cells(c.Title)
	for _, cell := range c.Cells {
		widest = max(widest, Cells(cell))
	}
	return widest
}

// Filled returns the columns without those that are empty.
func Filled(columns ...Column) []Column { return slices.DeleteFunc(columns, Column.IsEmpty) }

// Table returns the lines of a table, the titles first. Where stdout is narrower than that, they are one field a line, and an empty line
// before the next row.
func (s Streams) Table(columns []Column) []string {
	lines, ok := fit(columns, s.Width())
	if !ok {
		return fields(columns, s.Width())
	}
	lines[0] = s.Paint(Faint, lines[0])
	return lines
}

// Rows returns the lines of a table without titles.
func Rows(columns []Column) []string {
	lines, _ := fit(columns, Unbounded)
	return lines[1:]
}

// fit returns the lines of a table that has at most this width, and false where there is none. Columns that may be cut are cut for it, the
// first ones first.
func fit(columns []Column, width int) ([]string, bool) {
	widths := make([]int, len(columns))
	over := -width - columnGap
	for i, c := range columns {
		widths[i] = c.Width()
		over += widths[i] + columnGap
	}
	for i, c := range columns {
		if c.Least > 0 && over > 0 {
			cut := min(over, max(widths[i]-c.Least, 0))
			widths[i], over = widths[i]-cut, over-cut
		}
	}
	lines := make([]string, 1+len(columns[0].Cells))
	for i, c := range columns {
		for row, cell := range append([]string{c.Title}, c.Cells...) {
			cell = Cut(cell, widths[i])
			lines[row] += cell + strings.Repeat(" ", widths[i]-Cells(cell)+columnGap)
		}
	}
	for row, line := range lines {
		lines[row] = strings.TrimRight(line, " ")
	}
	return lines, over <= 0
}

// fields returns what the rows have, one field a line, after its title.
func fields(columns []Column, width int) (lines []string) {
	titles := 0
	for _, c := range columns {
		titles = max(titles, Cells(c.Title)+columnGap)
	}
	for row := range columns[0].Cells {
		if row > 0 {
			lines = append(lines, "")
		}
		mark := ""
		for _, c := range columns {
			switch cell := c.Cells[row]; {
			case c.Title == " ":
				mark = cell
			case cell != "":
				title := c.Title + strings.Repeat(" ", titles-Cells(c.Title))
				lines = append(lines, beside(title, strings.TrimSpace(mark+" "+cell), width)...)
				mark = ""
			}
		}
	}
	return lines
}

// Mark returns what marks the row that is in force.
func Mark(inForce bool) string {
	if inForce {
		return "*"
	}
	return ""
}
