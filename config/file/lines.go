package file

import (
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"swop/config"
)

// lineOf returns the line of text, counted from 1, where the key of a defect stands, or else the table or key that is nearest to it; 0 where
// nothing is near. BurntSushi's library knows the place only of what it finds wrong itself, so this reads the text again, only for a message.
func lineOf(text string, of *config.KeyError) (line int) {
	depth := 0
	for _, d := range definitions(text) {
		key := d.key[:min(len(d.key), len(of.Path))] // account.work = 1 defines account too
		if len(key) > depth && slices.Equal(key, of.Path[:len(key)]) && (of.Item < 0 || d.item < 0 || d.item == of.Item) {
			line, depth = d.line, len(key)
		}
	}
	return line
}

// linesNaming returns the lines of text that have all names of the key, or the last of them inside a table or inline table of the others.
func linesNaming(text string, key []string) (lines []int) {
	for _, d := range definitions(text) {
		named := d.above < len(key) && len(d.key) >= len(key) && slices.Equal(d.key[:len(key)], key)
		if named && !slices.Contains(lines, d.line) {
			lines = append(lines, d.line)
		}
	}
	return lines
}

// A definition is where a text begins a table or gives a key its value.
type definition struct {
	key   []string // from the top of the file
	above int      // how many of its names stand before it, in the header of the table or around the inline table
	item  int      // in an array of tables that key[0] names: which of them; else -1
	line  int      // counted from 1
}

// definitions returns those of a text, in their order.
func definitions(text string) []definition {
	var l definitionList
	l.parser.Reset([]byte(strings.TrimPrefix(text, "\ufeff"))) // a byte order mark, which the other library skips
	top := definition{item: -1}
	table, items := top, map[string]int{} // how many tables the array of this name has so far
	for l.parser.NextExpression() {
		switch e := l.parser.Expression(); e.Kind {
		case unstable.KeyValue:
			l.addKey(table, e)
		case unstable.Table, unstable.ArrayTable:
			table = l.define(top, e)
			if e.Kind == unstable.ArrayTable && len(table.key) == 1 {
				items[table.key[0]]++
			}
			table.item = items[table.key[0]] - 1
			l.all = append(l.all, table)
		}
	}
	return l.all
}

type definitionList struct {
	parser unstable.Parser
	all    []definition
}

// addKey adds the definition of a key in this table, and those inside its value.
func (l *definitionList) addKey(table definition, of *unstable.Node) {
	d := l.define(table, of)
	l.all = append(l.all, d)
	l.addValue(d, of.Value())
}

func (l *definitionList) addValue(at definition, value *unstable.Node) {
	children := value.Children()
	for item := 0; children.Next(); item++ {
		switch of := children.Node(); of.Kind {
		case unstable.KeyValue:
			l.addKey(at, of)
		case unstable.InlineTable: // in an array
			at.item = item
			l.addValue(at, of)
		}
	}
}

// define returns the definition of a header, or of a key in this table.
func (l *definitionList) define(table definition, of *unstable.Node) definition {
	d := definition{key: slices.Clone(table.key), above: len(table.key), item: table.item}
	for names := of.Key(); names.Next(); {
		name := names.Node()
		if d.line == 0 {
			d.line = l.parser.Shape(name.Raw).Start.Line
		}
		d.key = append(d.key, string(name.Data))
	}
	return d
}
