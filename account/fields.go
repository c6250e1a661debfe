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

// Field is one field of a JSON object in a T. Its row in a table is the only place that names it: the fast reader, the writer, and the
// reader of package store, which takes any JSON, go by the table.
type Field[T any] struct {
	Name      string
	Value     func(*T) Value
	OmitEmpty bool // it is not written when it is empty
}

// Value points to the value of a field. Its type says how JSON has the value.
type Value interface {
	read(*reader)
	append([]byte) []byte
	empty() bool
}

// The kinds of values.
type (
	Text   string   // a string of UTF-8
	Path   string   // a string of any bytes: see [pathText]
	Paths  []string // a list of them
	Flag   bool     // true; one that is false is omitted
	Number uint64
)

func (v *Text) read(r *reader)           { *v = Text(r.string()) }
func (v *Text) append(b []byte) []byte   { return appendString(b, string(*v)) }
func (v *Text) empty() bool              { return *v == "" }
func (v *Path) read(r *reader)           { *v = Path(textPath(r.string())) }
func (v *Path) append(b []byte) []byte   { return appendString(b, pathText(string(*v))) }
func (v *Path) empty() bool              { return *v == "" }
func (v *Flag) read(r *reader)           { *v = Flag(r.bool()) }
func (v *Flag) append(b []byte) []byte   { return strconv.AppendBool(b, bool(*v)) }
func (v *Flag) empty() bool              { return !bool(*v) }
func (v *Number) read(r *reader)         { *v = Number(r.number()) }
func (v *Number) append(b []byte) []byte { return strconv.AppendUint(b, uint64(*v), 10) }
func (v *Number) empty() bool            { return *v == 0 }
func (v *Paths) empty() bool             { return len(*v) == 0 }

func (v *Paths) read(r *reader) {
	r.expect('[')
	for more := !r.next(']'); more && !r.bad; more = r.more(']') {
		*v = append(*v, textPath(r.string()))
	}
}

func (v *Paths) append(b []byte) []byte {
	b = append(b, '[')
	for i, path := range *v {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, pathText(path))
	}
	return append(b, ']')
}

// UnmarshalText sets the path from the contents of a JSON string.
func (v *Path) UnmarshalText(text []byte) error {
	*v = Path(textPath(string(text)))
	return nil
}

// pathText returns path as JSON has it. A path is bytes and JSON is UTF-8: one that is not UTF-8 is written as Go quotes it, and no
// absolute path begins with a quote.
func pathText(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	return strconv.Quote(path)
}

// textPath returns the path for which pathText returns text.
func textPath(text string) string {
	if strings.HasPrefix(text, `"`) {
		if path, err := strconv.Unquote(text); err == nil {
			return path
		}
	}
	return text
}
