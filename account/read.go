package account

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// reader is the fast reader of meta.json and root.json, which are read on every call of codex. It reads them as this program writes them:
// the fields of a table in their order, strings without escapes, no unknown field. It sets bad for all else, every error included, which
// package store reads with encoding/json. What it does read it reads as encoding/json does, which a fuzz test there shows.
type reader struct {
	rest string
	bad  bool
}

// readDocument reads text, an object with a schema version and the fields of the table, into v, and reports whether it could.
func readDocument[T any](text string, v *T, fields []Field[T]) bool {
	r := reader{rest: text, bad: !utf8.ValidString(text)}
	r.expect('{')
	if r.name() != VersionField || r.number() != SchemaVersion {
		return false
	}
	if r.more('}') {
		readFields(&r, v, fields)
	}
	r.space()
	return !r.bad && r.rest == ""
}

// readFields reads the rest of an object, from the name of a field on.
func readFields[T any](r *reader, v *T, fields []Field[T]) {
	for more := true; more && !r.bad; more = r.more('}') {
		name := r.name()
		for len(fields) > 0 && fields[0].Name != name {
			fields = fields[1:]
		}
		if len(fields) == 0 {
			r.bad = true // unknown, out of order or there twice
			return
		}
		fields[0].Value(v).read(r)
		fields = fields[1:]
	}
}

func (r *reader) name() string {
	name := r.string()
	r.expect(':')
	return name
}

// more reports whether another member follows in what ends with end, and reads the comma or the end.
func (r *reader) more(end byte) bool {
	if r.next(end) {
		return false
	}
	r.expect(',')
	return !r.bad
}

// string reads a string without escapes.
func (r *reader) string() string {
	r.expect('"')
	s, rest, ok := strings.Cut(r.rest, `"`)
	for i := range len(s) {
		ok = ok && s[i] >= ' ' && s[i] != '\\'
	}
	r.rest, r.bad = rest, r.bad || !ok
	return s
}

// number reads a whole number that is not negative.
func (r *reader) number() uint64 {
	r.space()
	end := 0
	for end < len(r.rest) && r.rest[end] >= '0' && r.rest[end] <= '9' {
		end++
	}
	n, err := strconv.ParseUint(r.rest[:end], 10, 64)
	r.bad = r.bad || err != nil || end > 1 && r.rest[0] == '0'
	r.rest = r.rest[end:]
	return n
}

// bool reads true; false is never written.
func (r *reader) bool() bool {
	r.space()
	rest, ok := strings.CutPrefix(r.rest, "true")
	r.rest, r.bad = rest, r.bad || !ok
	return ok
}

func (r *reader) space() { r.rest = strings.TrimLeft(r.rest, " \t\r\n") }

// next reads c if it comes next, and reports whether it did.
func (r *reader) next(c byte) bool {
	r.space()
	if r.rest == "" || r.rest[0] != c {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

func (r *reader) expect(c byte) { r.bad = !r.next(c) || r.bad }
