package file

import (
	"slices"
	"strconv"
	"strings"

	"swop/config"
)

// lineOf returns the line of text, counted from 1, where the key of a defect stands, or else the table or key that is nearest to it. The TOML
// library knows the place only of what it finds wrong itself, so this reads the text again, only for a message.
func lineOf(text string, of *config.KeyError) int { return search(text, of.Path, of.Item).best }

func search(text string, names []string, item int) lineSearch {
	s := lineSearch{names: names, item: item, arrays: map[string]int{}}
	for i, line := range strings.Split(text, "\n") {
		s.number = i + 1
		s.read(line)
	}
	return s
}

// lineSearch looks for the line of names, in the item-th table of the array that the first of them names.
type lineSearch struct {
	names  []string
	item   int // -1: not in an array
	number int

	table  []string       // of the last header
	arrays map[string]int // how many tables each [[array]] had so far
	inline []string       // the key whose value the search is in
	seen   int            // how many keys called names[1] were seen inside that value
	best   int            // the line found so far
	depth  int            // and how many of the names it matches
	all    []int          // every line that names the key of all names: a header, or a key outside of its table
	within bool           // the table of the last header is in all
}

func (s *lineSearch) read(text string) {
	tokens := keysOf(text)
	if header := strings.TrimSpace(text); strings.HasPrefix(header, "[") && len(tokens.header) > 0 {
		s.table, s.inline = tokens.header, nil
		if strings.HasPrefix(header, "[[") {
			s.arrays[strings.Join(s.table, "\x00")]++
		}
		s.within = false
		s.offer(s.table)
		s.within = len(s.all) > 0 && s.all[len(s.all)-1] == s.number
		return
	}
	for _, key := range tokens.keys {
		s.readKey(key)
	}
}

func (s *lineSearch) readKey(key []string) {
	full := append(slices.Clone(s.table), key...)
	if len(s.inline) > 0 && !s.startsWith(full) {
		inner := append(slices.Clone(s.inline), key...)
		if s.item >= 0 && len(inner) == 2 && len(s.names) > 1 && inner[1] == s.names[1] {
			if s.seen++; s.seen <= s.item {
				return
			}
		}
		s.offer(inner)
		if s.item < 0 && s.startsWith(inner) {
			s.inline = inner
		}
		return
	}
	s.offer(full)
	if s.startsWith(full) {
		s.inline, s.seen = full, 0
	}
}

func (s *lineSearch) startsWith(key []string) bool {
	return len(key) <= len(s.names) && slices.Equal(key, s.names[:len(key)])
}

// offer takes the line if key leads further on the way to names than what was found before.
func (s *lineSearch) offer(key []string) {
	key = key[:min(len(key), len(s.names))] // account.work = 1 defines account too
	if !s.within && len(s.inline) < len(s.names) && len(key) == len(s.names) && s.startsWith(key) && !slices.Contains(s.all, s.number) {
		s.all = append(s.all, s.number)
	}
	if !s.startsWith(key) || len(key) <= s.depth {
		return
	}
	if n := s.arrays[strings.Join(s.names[:1], "\x00")]; s.item >= 0 && n > 0 && n != s.item+1 {
		return
	}
	s.best, s.depth = s.number, len(key)
}

// lineKeys are the keys that a line defines.
type lineKeys struct {
	header []string   // of a [table] or [[array]]
	keys   [][]string // each before a "=", those of inline tables too
}

// keysOf reads a line of TOML: strings and comments are skipped.
func keysOf(text string) (k lineKeys) {
	var parts []string
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '#':
			return k
		case c == '"' || c == '\'':
			part, next := quoted(text, i)
			parts, i = append(parts, part), next
			continue
		case isBare(c):
			end := i
			for end < len(text) && isBare(text[end]) {
				end++
			}
			parts, i = append(parts, text[i:end]), end
			continue
		case c == '=':
			k.keys, parts = append(k.keys, parts), nil
		case c == ']' && k.header == nil && len(k.keys) == 0:
			k.header = parts
		case c != '.' && c != ' ' && c != '\t':
			parts = nil
		}
		i++
	}
	return k
}

func isBare(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// quoted returns the string that begins at text[i] and where the text goes on after it.
func quoted(text string, i int) (string, int) {
	for j := i + 1; j < len(text); j++ {
		switch {
		case text[j] == '\\' && text[i] == '"':
			j++
		case text[j] == text[i]:
			if s, err := strconv.Unquote(text[i : j+1]); err == nil {
				return s, j + 1
			}
			return text[i+1 : j], j + 1
		}
	}
	return text[i+1:], len(text)
}
