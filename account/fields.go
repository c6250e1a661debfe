package account

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// SchemaVersion is the version of meta.json and root.json that this code reads and writes, and VersionField is the first field of both.
const (
	SchemaVersion = 1
	VersionField  = "schema_version"
)

// Member is a member of a JSON object: its name, and its value as JSON text.
type Member struct {
	Name  string
	Value []byte
}

// Field is one field of a JSON object in a T. Its row in a table is the only place that names it. The fast reader goes by the table, and so does
// package store, which reads any JSON and writes it.
type Field[T any] struct {
	Name      string
	Value     func(*T) Value
	OmitEmpty bool // it is not written when it is empty
}

// Value points to the value of a field. Its type says how JSON has the value.
type Value interface{ read(*reader) }

// The kinds of values.
type (
	Text   string   // a string of UTF-8
	Path   string   // a string of any bytes: see [Path.MarshalText]
	Paths  []string // a list of them
	Flag   bool     // true; one that is false is omitted
	Number uint64
)

func (v *Text) read(r *reader)   { *v = Text(r.string()) }
func (v *Path) read(r *reader)   { *v = Path(textPath(r.string())) }
func (v *Flag) read(r *reader)   { *v = Flag(r.bool()) }
func (v *Number) read(r *reader) { *v = Number(r.number()) }

func (v *Paths) read(r *reader) {
	r.expect('[')
	for more := !r.next(']'); more && !r.bad; more = r.more(']') {
		*v = append(*v, textPath(r.string()))
	}
}

// UnmarshalText sets the path from the contents of a JSON string.
func (v *Path) UnmarshalText(text []byte) error {
	*v = Path(textPath(string(text)))
	return nil
}

// MarshalText returns the path as JSON has it. A path is bytes and JSON is UTF-8: one that is not UTF-8 is written as Go quotes it, and no
// absolute path begins with a quote.
func (v Path) MarshalText() ([]byte, error) {
	if utf8.ValidString(string(v)) {
		return []byte(v), nil
	}
	return strconv.AppendQuote(nil, string(v)), nil
}

// textPath returns the path that is written as text.
func textPath(text string) string {
	if strings.HasPrefix(text, `"`) {
		if path, err := strconv.Unquote(text); err == nil {
			return path
		}
	}
	return text
}
