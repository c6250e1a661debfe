package account

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"swop/internal/say"
)

// meta.json and root.json are read on every call of codex, which encoding/json would make slower. Only swop writes them: what else JSON
// allows, as \/ in a string, is refused.

// ErrEarlier says that an earlier swop wrote a file, whose form nothing reads any more.
var ErrEarlier = errors.New("of an earlier swop")

// parseDocument reads text, an object with a schema version and the fields of the table, into v. It returns the members that the table does
// not have: those of a newer program.
func parseDocument[T any](text string, v *T, fields []Field[T]) (unknown []Member, err error) {
	r := reader{rest: text, bad: !utf8.ValidString(text)}
	version := uint64(0)
	readObject(&r, v, fields, func(name string) {
		if name != versionField {
			unknown = append(unknown, Member{name, r.value()})
			return
		}
		version = r.number()
		r.stop = version != SchemaVersion // the rest may have another form
	})
	r.space()
	switch {
	case r.stop && !r.bad && version > 0 && version < SchemaVersion:
		return nil, fmt.Errorf("%s is %d, %w", versionField, version, ErrEarlier)
	case r.stop && !r.bad:
		return nil, say.WithHint(fmt.Errorf("%s is %d, this swop knows %d", versionField, version, SchemaVersion), "upgrade swop")
	case r.bad && r.rest == "":
		return nil, errors.New("unexpected end")
	case r.bad, r.rest != "":
		return nil, fmt.Errorf("unexpected text at byte %d", len(text)-len(r.rest)+1)
	case version == 0:
		return nil, errors.New(versionField + " is missing")
	}
	return unknown, nil
}

// readObject reads an object. It passes the names that the table does not have to other, which reads their values.
func readObject[T any](r *reader, v *T, fields []Field[T], other func(name string)) {
	r.expect('{')
	for more := !r.next('}'); more && !r.bad && !r.stop; more = r.more('}') {
		name := r.string()
		r.expect(':')
		if f := fieldOf(fields, name); f != nil {
			f.Value(v).read(r)
		} else {
			other(name)
		}
	}
}

func fieldOf[T any](fields []Field[T], name string) *Field[T] {
	for i := range fields {
		if fields[i].Name == name { // names are compared exactly: one of another case is not ours
			return &fields[i]
		}
	}
	return nil
}

// documentText returns the text of an object with the schema version, the fields of v in their order, and the members of a newer program.
func documentText[T any](v *T, fields []Field[T], unknown []Member) []byte {
	b := fmt.Appendf(nil, `{"%s":%d`, versionField, SchemaVersion)
	b = appendFields(b, v, fields)
	for _, m := range unknown {
		b = append(appendString(append(b, ','), m.Name), ":"+m.Value...)
	}
	return append(b, "}\n"...)
}

// appendFields appends the fields of v that are not empty to an object.
func appendFields[T any](b []byte, v *T, fields []Field[T]) []byte {
	for _, f := range fields {
		named := b
		if b[len(b)-1] != '{' {
			named = append(named, ',')
		}
		named = append(named, `"`+f.Name+`":`...)
		if full := f.Value(v).appendTo(named); len(full) > len(named) {
			b = full
		}
	}
	return b
}

// appendString appends a string of UTF-8 as JSON.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, c := range []byte(s) {
		switch {
		case c == '"', c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// reader reads JSON. Where it is bad, rest begins with what was not expected.
type reader struct {
	rest      string
	bad, stop bool
}

// more reports whether another member follows in what ends with end, and reads the comma or the end.
func (r *reader) more(end byte) bool {
	if r.next(end) {
		return false
	}
	r.expect(',')
	return !r.bad
}

// string reads a string.
func (r *reader) string() string {
	r.space()
	quoted, err := strconv.QuotedPrefix(r.rest)
	if r.bad = r.bad || err != nil || quoted[0] != '"'; r.bad {
		return ""
	}
	s, err := strconv.Unquote(quoted)
	if r.bad = err != nil || !utf8.ValidString(s); !r.bad {
		r.rest = r.rest[len(quoted):]
	}
	return s
}

// number reads a whole number that is not negative.
func (r *reader) number() uint64 {
	text := r.word()
	n, err := strconv.ParseUint(text, 10, 64)
	if r.bad = r.bad || err != nil; !r.bad {
		r.rest = r.rest[len(text):]
	}
	return n
}

// bool reads true; false is never written.
func (r *reader) bool() bool {
	text := r.word()
	if r.bad = r.bad || text != "true"; !r.bad {
		r.rest = r.rest[len(text):]
	}
	return !r.bad
}

// word returns what comes next up to the end of a value that is no string.
func (r *reader) word() string {
	r.space()
	if end := strings.IndexAny(r.rest, ",]} \t\r\n"); end >= 0 {
		return r.rest[:end]
	}
	return r.rest
}

// value reads a value of any kind, and returns its text.
func (r *reader) value() string {
	r.space()
	text, depth := r.rest, 0
	for first := true; (first || depth > 0) && !r.bad; first = false {
		switch {
		case r.next('{'), r.next('['):
			depth++
		case depth > 0 && (r.next('}') || r.next(']')):
			depth--
		case strings.HasPrefix(r.rest, `"`):
			r.string()
		case depth == 0 || !r.next(',') && !r.next(':'):
			word := r.word()
			r.rest, r.bad = r.rest[len(word):], word == ""
		}
	}
	return text[:len(text)-len(r.rest)]
}

func (r *reader) space() { r.rest = strings.TrimLeft(r.rest, " \t\r\n") }

// next reads c if it comes next, and reports whether it did.
func (r *reader) next(c byte) bool {
	r.space()
	if r.bad || r.rest == "" || r.rest[0] != c {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

func (r *reader) expect(c byte) { r.bad = !r.next(c) || r.bad }
