package account

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Member is a member of a JSON object: its name, and its value as JSON text.
type Member struct {
	Name  string
	Value []byte
}

// document returns the text of an object with the schema version and the fields of v. Unknown members are those of a newer program; with
// any of them all members are sorted by name.
func document[T any](v *T, fields []Field[T], unknown []Member) []byte {
	version := Number(SchemaVersion)
	members := make([]Member, 0, 1+len(fields)+len(unknown))
	members = append(members, Member{VersionField, version.append(nil)})
	members = append(appendFields(members, v, fields), unknown...)
	if len(unknown) > 0 {
		slices.SortFunc(members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	}
	return append(appendObject(make([]byte, 0, usualSize), members), '\n')
}

// usualSize is the size of nearly all files, in bytes: a guess, so that the text is not copied while it grows.
const usualSize = 512

// appendFields appends the fields of v that are written.
func appendFields[T any](members []Member, v *T, fields []Field[T]) []Member {
	values := make([]byte, 0, usualSize)
	for _, f := range fields {
		if value := f.Value(v); !f.OmitEmpty || !value.empty() {
			start := len(values)
			values = value.append(values)
			members = append(members, Member{f.Name, values[start:len(values):len(values)]})
		}
	}
	return members
}

func appendObject(b []byte, members []Member) []byte {
	b = append(b, '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, m.Name), ':')
		b = append(b, m.Value...)
	}
	return append(b, '}')
}

// appendString appends s as a JSON string, escaped as encoding/json does it.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b = append(b, '\\', byte(r))
		case '\b', '\t', '\n', '\f', '\r':
			b = append(b, '\\', "btn?fr"[r-'\b'])
		case '<', '>', '&', '\u2028', '\u2029':
			b = appendEscape(b, r)
		default:
			if r < ' ' {
				b = appendEscape(b, r)
			} else {
				b = utf8.AppendRune(b, r)
			}
		}
	}
	return append(b, '"')
}

func appendEscape(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
