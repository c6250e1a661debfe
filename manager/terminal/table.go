package terminal

import (
	"slices"
	"strings"

	"swop/say"
)

// Column is a column of a table for people: without lines, two spaces apart.
type Column struct {
	Title string
	Cells []string
	Most  int // the width that cells are cut to, 0 for none
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

// Width returns how many columns of a terminal this one takes.
func (c Column) Width() int {
	widest := Cells(c.Title)
	for _, cell := range c.Cells {
		widest = max(widest, Cells(cell))
	}
	if c.Most > 0 {
		widest = min(widest, c.Most)
	}
	return widest
}

// Filled returns the columns in which some row has something.
func Filled(columns ...Column) []Column { return slices.DeleteFunc(columns, Column.IsEmpty) }

// TableWidth returns the width of the columns side by side.
func TableWidth(columns []Column) int {
	width := columnGap * (len(columns) - 1)
	for _, c := range columns {
		width += c.Width()
	}
	return width
}

// Table returns the lines of the table, without spaces at their ends: the titles first, faint where the terminal has colours.
func (s Streams) Table(columns []Column) []string {
	lines := lay(columns)
	lines[0] = s.Paint(Faint, lines[0])
	return lines
}

// Rows returns the rows of a table without titles.
func Rows(columns []Column) []string { return lay(columns)[1:] }

func lay(columns []Column) []string {
	lines := make([]string, 1+len(columns[0].Cells))
	for _, c := range columns {
		width := c.Width()
		for row, cell := range append([]string{c.Title}, c.Cells...) {
			cell = Cut(cell, width)
			lines[row] += cell + strings.Repeat(" ", width-Cells(cell)+columnGap)
		}
	}
	for row, line := range lines {
		lines[row] = strings.TrimRight(line, " ")
	}
	return lines
}

// Mark returns the mark of a row that is in force, "" for another.
func Mark(inForce bool) string {
	if inForce {
		return "*"
	}
	return ""
}
