package account

import (
	"strconv"
	"strings"
	"time"
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
	Text   string    // a string of UTF-8
	Path   string    // a string of any bytes: see [pathText]
	Paths  []string  // a list of them
	Time   time.Time // whole seconds, in UTC; see below
	Flag   bool      // true; one that is false is omitted
	Number uint64
)

// Time has no methods of time.Time: a type that an interface may hold keeps all its methods, and a start of codex would map all that can
// print a time. What the shim's reader holds is such a type, and so is what its fields hold.

func (v *Text) read(r *reader)           { *v = Text(r.string()) }
func (v *Text) append(b []byte) []byte   { return appendString(b, string(*v)) }
func (v *Text) empty() bool              { return *v == "" }
func (v *Path) read(r *reader)           { *v = Path(textPath(r.string())) }
func (v *Path) append(b []byte) []byte   { return appendString(b, pathText(string(*v))) }
func (v *Path) empty() bool              { return *v == "" }
func (v *Time) read(r *reader)           { *v = Time(r.time()) }
func (v *Time) empty() bool              { return time.Time(*v).IsZero() }
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

func (v *Time) append(b []byte) []byte {
	b, _ = time.Time(*v).UTC().Truncate(time.Second).AppendText(append(b, '"')) // one without a text is not written: see [Meta.Check]
	return append(b, '"')
}

// UnmarshalText sets the path from the contents of a JSON string.
func (v *Path) UnmarshalText(text []byte) error {
	*v = Path(textPath(string(text)))
	return nil
}

// UnmarshalText sets the time, in UTC, from any time of RFC 3339.
func (v *Time) UnmarshalText(text []byte) error {
	var t time.Time
	err := t.UnmarshalText(text)
	*v = Time(t.UTC())
	return err
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
