package account

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// SchemaVersion is the version of meta.json and root.json that this code reads and writes, and versionField is the first field of both.
const (
	SchemaVersion = 2
	versionField  = "schema_version"
)

// Member is a member of a JSON object: its name, and its value as JSON text.
type Member struct{ Name, Value string }

// Field is one field of a JSON object in a T. Its row in a table is the only place that names it: the object is read and written by the
// table.
type Field[T any] struct {
	Name  string
	Value func(*T) Value
}

// Value points to the value of a field. Its type says how JSON has the value.
type Value interface {
	read(*reader)
	// appendTo appends the value as JSON, or nothing: a value that is empty is not written.
	appendTo(b []byte) []byte
}

// The kinds of values.
type (
	Text   string   // a string of UTF-8
	Path   string   // a string of any bytes: see [Path.text]
	Paths  []string // a list of them
	Flag   bool     // true; one that is false is omitted
	Number uint64   // always written
)

func (v *Text) read(r *reader)   { *v = Text(r.string()) }
func (v *Path) read(r *reader)   { *v = textPath(r.string()) }
func (v *Flag) read(r *reader)   { *v = Flag(r.bool()) }
func (v *Number) read(r *reader) { *v = Number(r.number()) }

func (v *Paths) read(r *reader) {
	*v = nil
	r.expect('[')
	for more := !r.next(']'); more && !r.bad; more = r.more(']') {
		*v = append(*v, string(textPath(r.string())))
	}
}

func (v *Number) appendTo(b []byte) []byte { return strconv.AppendUint(b, uint64(*v), 10) }

func (v *Text) appendTo(b []byte) []byte {
	if *v == "" {
		return b
	}
	return appendString(b, string(*v))
}

func (v *Path) appendTo(b []byte) []byte {
	text := Text(v.text())
	return text.appendTo(b)
}

func (v *Flag) appendTo(b []byte) []byte {
	if !*v {
		return b
	}
	return append(b, "true"...)
}

func (v *Paths) appendTo(b []byte) []byte {
	if len(*v) == 0 {
		return b
	}
	for i, path := range *v {
		b = appendString(append(b, "[,"[min(i, 1)]), Path(path).text())
	}
	return append(b, ']')
}

// text returns the path as JSON has it. A path is bytes and JSON is UTF-8: one that is not UTF-8 is written as Go quotes it, and no
// absolute path begins with a quote.
func (v Path) text() string {
	if utf8.ValidString(string(v)) {
		return string(v)
	}
	return strconv.Quote(string(v))
}

// textPath returns the path that is written as text.
func textPath(text string) Path {
	if strings.HasPrefix(text, `"`) {
		if path, err := strconv.Unquote(text); err == nil {
			return Path(path)
		}
	}
	return Path(text)
}
