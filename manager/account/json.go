package account

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// meta.json and root.json are read on every call of codex, and are as this program writes them: an object of strings without escapes,
// numbers, lists of strings and one object more. plainJSON reads those for a fraction of what encoding/json takes, and leaves all else,
// every error and every unknown field to that. What it reads it reads as encoding/json does, which a fuzz test shows.
type jsonReader struct {
	rest string
	bad  bool
}

// newJSONReader begins to read text.
func newJSONReader(text string) *jsonReader {
	return &jsonReader{rest: text, bad: !utf8.ValidString(text)}
}

// object reads an object; field reads the value of the field called name, and each name once.
func (p *jsonReader) object(field func(name string)) {
	p.expect('{')
	if p.next('}') {
		return
	}
	var seen [16]string
	for i := 0; !p.bad; i++ {
		name := p.string()
		p.expect(':')
		for _, other := range seen[:min(i, len(seen))] {
			p.bad = p.bad || other == name
		}
		if p.bad = p.bad || i == len(seen); p.bad {
			return
		}
		seen[i] = name
		field(name)
		if p.next('}') {
			return
		}
		p.expect(',')
	}
}

// string reads a string without escapes.
func (p *jsonReader) string() string {
	p.expect('"')
	s, rest, ok := strings.Cut(p.rest, `"`)
	for i := range len(s) {
		ok = ok && s[i] >= ' ' && s[i] != '\\'
	}
	p.rest, p.bad = rest, p.bad || !ok
	return s
}

// number reads a whole number that is not negative.
func (p *jsonReader) number() uint64 {
	p.space()
	end := 0
	for end < len(p.rest) && p.rest[end] >= '0' && p.rest[end] <= '9' {
		end++
	}
	n, err := strconv.ParseUint(p.rest[:end], 10, 64)
	p.bad = p.bad || err != nil || end > 1 && p.rest[0] == '0'
	p.rest = p.rest[end:]
	return n
}

// strings reads a list of strings.
func (p *jsonReader) strings() (list []string) {
	p.expect('[')
	list = []string{}
	if p.next(']') {
		return list
	}
	for !p.bad {
		list = append(list, p.string())
		if p.next(']') {
			return list
		}
		p.expect(',')
	}
	return list
}

// time reads a time as this program writes it: whole seconds in UTC.
func (p *jsonReader) time() time.Time {
	s := p.string()
	if len(s) != len("2006-01-02T15:04:05Z") {
		p.bad = true
		return time.Time{}
	}
	n := func(from, to int) int {
		v := 0
		for _, c := range []byte(s[from:to]) {
			p.bad = p.bad || c < '0' || c > '9'
			v = v*10 + int(c-'0')
		}
		return v
	}
	y, mo, d, h, mi, sec := n(0, 4), n(5, 7), n(8, 10), n(11, 13), n(14, 16), n(17, 19)
	t := time.Date(y, time.Month(mo), d, h, mi, sec, 0, time.UTC)
	p.bad = p.bad || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' || s[19] != 'Z' ||
		t.Year() != y || int(t.Month()) != mo || t.Day() != d || t.Hour() != h || t.Minute() != mi || t.Second() != sec
	return t
}

// bool reads true; false is never written.
func (p *jsonReader) bool() bool {
	p.space()
	rest, ok := strings.CutPrefix(p.rest, "true")
	p.rest, p.bad = rest, p.bad || !ok
	return ok
}

// ended reports whether all was read, and was plain.
func (p *jsonReader) ended() bool {
	p.space()
	return !p.bad && p.rest == ""
}

func (p *jsonReader) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

func (p *jsonReader) next(c byte) bool {
	p.space()
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *jsonReader) expect(c byte) { p.bad = !p.next(c) || p.bad }

// fastMeta reads a plain meta.json.
func fastMeta(text string) (m metaJSON, ok bool) {
	p := newJSONReader(text)
	p.object(func(name string) {
		switch name {
		case "schema_version":
			m.SchemaVersion = p.version()
		case "label":
			m.Label = p.string()
		case "label_key":
			m.Key = p.string()
		case "created_at":
			m.CreatedAt = p.time()
		case "last_used_at":
			t := p.time()
			m.LastUsedAt = &t
		case "state":
			m.State = State(p.string())
		case "real_home":
			m.RealHome = p.string()
		case "unfinished":
			m.Unfinished = p.bool()
		case "moving_to":
			m.MovingTo = p.string()
		case "bootstrap":
			m.Bootstrap = p.string()
		default:
			p.bad = true
		}
	})
	return m, p.ended() && m.SchemaVersion == schemaVersion
}

// FastText is m as json.Marshal writes it, if that escapes nothing.
func (m Meta) FastText() ([]byte, bool) {
	if len(m.Unknown) > 0 || m.State == "" || m.MovedFrom != "" {
		return nil, false
	}
	b := []byte(`{"schema_version":1`)
	plain := true
	text := func(name, value string) {
		plain = plain && isASCII(value)
		b = append(append(append(append(append(b, `,"`...), name...), `":"`...), value...), '"')
	}
	stampText := func(name string, t time.Time) {
		t = t.UTC().Truncate(time.Second)
		plain = plain && t.Year() > 0 && t.Year() <= 9999
		text(name, t.Format("2006-01-02T15:04:05Z"))
	}
	text("label", m.Label)
	text("label_key", m.Key)
	stampText("created_at", m.CreatedAt)
	if !m.LastUsedAt.IsZero() {
		stampText("last_used_at", m.LastUsedAt)
	}
	text("state", string(m.State))
	text("real_home", pathText(m.RealHome))
	if m.Unfinished {
		b = append(b, `,"unfinished":true`...)
	}
	if m.MovingTo != "" {
		text("moving_to", m.MovingTo)
	}
	if m.Bootstrap != "" {
		text("bootstrap", pathText(m.Bootstrap))
	}
	return append(b, "}\n"...), plain
}

// isASCII reports whether JSON has s as it is: only printable ASCII, of which encoding/json escapes five.
func isASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// version reads the version of a schema: another than ours is for encoding/json to judge.
func (p *jsonReader) version() int {
	n := p.number()
	p.bad = p.bad || n != schemaVersion
	return schemaVersion
}
