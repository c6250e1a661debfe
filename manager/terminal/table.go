package terminal

import (
	"slices"
	"strings"

	"swop/internal/say"
)

// Column is a column of a table for people: without lines, two spaces apart.
type Column struct {
	Title string // " " for the column of marks
	Cells []string
}

const columnGap = 2

// NewColumn returns the column with the cell of each row, safe to print on a terminal: a line break in a name begins no row.
func NewColumn[R any](title string, rows []R, cell func(R) string) Column {
	c := Column{Title: title, Cells: make([]string, 0, len(rows))}
	for _, row := range rows {
		c.Cells = append(c.Cells, say.OneLine(cell(row)))
	}
	return c
}

// Filled returns the columns that are not empty in all rows.
func Filled(columns ...Column) []Column {
	return slices.DeleteFunc(columns, func(c Column) bool { return strings.Join(c.Cells, "") == "" })
}

// Table returns the lines of a table, the titles first. If stdout is narrower, each field has a line of its own, and an empty line follows
// each row but the last.
func (s Streams) Table(columns []Column) []string {
	lines, width := table(columns), s.Width()
	for _, line := range lines {
		if Cells(line) > width {
			return fields(columns, width)
		}
	}
	lines[0] = s.Paint(Faint, lines[0])
	return lines
}

// Rows returns the lines of a table without titles.
func Rows(columns []Column) []string { return table(columns)[1:] }

func table(columns []Column) []string {
	lines := make([]string, 1+len(columns[0].Cells))
	for _, c := range columns {
		cells := append([]string{c.Title}, c.Cells...)
		width := 0
		for _, cell := range cells {
			width = max(width, Cells(cell)+columnGap)
		}
		for row, cell := range cells {
			lines[row] += cell + strings.Repeat(" ", width-Cells(cell))
		}
	}
	for row, line := range lines {
		lines[row] = strings.TrimRight(line, " ")
	}
	return lines
}

// fields returns the cells of all rows, one field a line, after its title.
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
				for _, line := range say.Fold(strings.TrimSpace(mark+" "+cell), width-titles, 0) {
					lines = append(lines, title+line)
					title = strings.Repeat(" ", titles)
				}
				mark = ""
			}
		}
	}
	return lines
}

// Mark returns the cell that marks the row in force.
func Mark(inForce bool) string {
	if inForce {
		return "*"
	}
	return ""
}
