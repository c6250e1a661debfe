package config

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Table is a table of TOML: its entries, sorted by their keys. Go's maps would cost a start of codex more than all else that it reads.
type Table struct {
	Entries []Entry

	line int // of its header in an array of tables
	made maker
}

// Entry is a key with its value: a string, a bool, an int64, a float64, a *Table, a []any for an array, one of tables too, or a [date].
type Entry struct {
	Key   string
	Value any
	Line  int   // where the key stands, counted from 1
	Again []int // further lines where it does
}

// date stands for a date or time, which no key has.
type date struct{}

// maker is what made a table: TOML lets some be extended.
type maker uint8

const (
	byHeaderBelow maker = iota // that of a table in it
	byHeader                   // its own
	byDottedKey
	inline // on one line
)

// Parse reads a TOML text. What is not TOML, and a key that is defined twice, is an [*Error].
func Parse(text string) (*Table, error) {
	if !utf8.ValidString(text) {
		return nil, &Error{Reason: "is not UTF-8"}
	}
	r := tomlReader{text: strings.TrimPrefix(text, "\ufeff"), line: 1}
	r.Reset([]byte(r.text))
	top := &Table{}
	table, err := top, error(nil)
	for err == nil && r.NextExpression() {
		if e := r.Expression(); e.Kind == unstable.KeyValue {
			err = r.set(table, e)
		} else {
			table, err = r.header(top, e)
		}
	}
	if defect := r.Error(); defect != nil {
		line := r.line
		if at := new(unstable.ParserError); errors.As(defect, &at) {
			line = r.lineOf(r.Range(at.Highlight))
		}
		err = &Error{Line: line, Reason: defect.Error()}
	}
	return top, err
}

type tomlReader struct {
	unstable.Parser
	text    string
	counted uint32 // up to where lines were counted
	line    int    // there
}

// lineOf returns the line of what comes at or behind what it was asked for last.
func (r *tomlReader) lineOf(at unstable.Range) int {
	if at.Offset > r.counted {
		r.line += strings.Count(r.text[r.counted:at.Offset], "\n")
		r.counted = at.Offset
	}
	return r.line
}

// name returns the entry of a table for a part of a key, and notes that it stands here.
func (r *tomlReader) name(t *Table, part *unstable.Node) *Entry {
	key, line := r.string(part, part.Raw), r.lineOf(part.Raw)
	at, there := slices.BinarySearchFunc(t.Entries, key, func(e Entry, key string) int { return strings.Compare(e.Key, key) })
	if !there {
		if t.Entries == nil {
			t.Entries = make([]Entry, 0, 2) // as most tables of a selector have
		}
		t.Entries = slices.Insert(t.Entries, at, Entry{Key: key, Line: line})
	}
	e := &t.Entries[at]
	if line != e.Line && (len(e.Again) == 0 || line != e.Again[len(e.Again)-1]) {
		e.Again = append(e.Again, line)
	}
	return e
}

// string returns the text of a node, without a copy where it stands like that at raw: a selector may have thousands.
func (r *tomlReader) string(n *unstable.Node, raw unstable.Range) string {
	if text := r.text[raw.Offset : raw.Offset+raw.Length]; text == string(n.Data) {
		return text
	}
	return string(n.Data)
}

func (r *tomlReader) twice(key string) error {
	return &Error{Key: []string{key}, Line: r.line, Reason: "is defined twice"}
}

// header returns the table that a header begins. Those above it are made if they are missing.
func (r *tomlReader) header(t *Table, header *unstable.Node) (*Table, error) {
	for names := header.Key(); names.Next(); {
		e, last := r.name(t, names.Node()), names.IsLast()
		next, isTable := e.Value.(*Table)
		list, _ := e.Value.([]any)
		array := last && header.Kind == unstable.ArrayTable
		switch {
		case array && (e.Value == nil || lastOf(list) != nil):
			next = &Table{line: r.line}
			e.Value = append(list, next)
		case e.Value == nil:
			next = &Table{}
			e.Value = next
		case !last && lastOf(list) != nil:
			next = lastOf(list)
		case array, !isTable, next.made == inline, last && next.made != byHeaderBelow:
			return nil, r.twice(e.Key)
		}
		if t = next; last {
			t.made = byHeader
		}
	}
	return t, nil
}

// lastOf returns the last table of an array of tables that have headers, nil for any other array.
func lastOf(list []any) *Table {
	if len(list) == 0 {
		return nil
	}
	if t, ok := list[len(list)-1].(*Table); ok && t.made == byHeader {
		return t
	}
	return nil
}

// set gives a key of the table, which may be dotted, its value.
func (r *tomlReader) set(t *Table, pair *unstable.Node) error {
	for names := pair.Key(); names.Next(); {
		e := r.name(t, names.Node())
		if names.IsLast() {
			if e.Value != nil {
				return r.twice(e.Key)
			}
			var err error
			e.Value, err = r.value(pair.Value())
			return err
		}
		if e.Value == nil {
			e.Value = &Table{made: byDottedKey}
		}
		next, ok := e.Value.(*Table)
		if !ok || next.made != byDottedKey {
			return r.twice(e.Key)
		}
		t = next
	}
	return nil
}

func (r *tomlReader) value(n *unstable.Node) (any, error) {
	switch n.Kind {
	case unstable.String: // between quotes
		return r.string(n, unstable.Range{Offset: n.Raw.Offset + 1, Length: n.Raw.Length - 2}), nil
	case unstable.Bool:
		return n.Data[0] == 't', nil
	case unstable.Integer:
		number, err := strconv.ParseInt(string(n.Data), 0, 64)
		if err != nil {
			return nil, &Error{Line: r.line, Reason: "has a number that is too large"}
		}
		return number, nil
	case unstable.Float:
		return 0.0, nil // no key has one
	case unstable.Array:
		list := []any{}
		for children := n.Children(); children.Next(); {
			v, err := r.value(children.Node())
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case unstable.InlineTable:
		t := &Table{made: inline}
		for children := n.Children(); children.Next(); {
			if err := r.set(t, children.Node()); err != nil {
				return nil, err
			}
		}
		return t, nil
	}
	return date{}, nil
}
