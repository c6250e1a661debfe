package config

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// FastTree returns the tree of a TOML text that consists of comments, tables, and keys with strings, lists of strings, booleans, short whole
// numbers or tables of these on one line: selector.toml and config.toml are read on every call of codex, and most are no more than that. It
// reports false for everything else, errors included, which is the library's to read. What it reads it reads as the library does: a fuzz test in config/file compares the two.
func FastTree(text string) (tree *Table, ok bool) {
	if !utf8.ValidString(text) {
		return nil, false
	}
	p := fastParser{tree: &Table{}}
	p.table = p.tree
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if !isPrintable(line) || !p.line(strings.Trim(line, " \t")) {
			return nil, false
		}
	}
	return p.tree, true
}

type fastParser struct {
	tree, table *Table
	path        string   // of table
	arrays      []string // names of arrays of tables
	closed      []string // paths of tables that no header may name any more: they had theirs; with a dot at its end, what no header may extend
}

func isPrintable(line string) bool {
	for i := range len(line) {
		if c := line[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

func (p *fastParser) line(line string) bool {
	switch {
	case line == "" || line[0] == '#':
		return true
	case strings.HasPrefix(line, "[["):
		name, ok := strings.CutSuffix(line[2:], "]]")
		return ok && p.arrayHeader(name)
	case line[0] == '[':
		path, ok := strings.CutSuffix(line[1:], "]")
		return ok && p.header(path)
	}
	key, rest, ok := strings.Cut(line, "=")
	if !ok {
		return false
	}
	value, ok := fastValue(strings.TrimLeft(rest, " \t"))
	return ok && p.set(strings.TrimRight(key, " \t"), value)
}

// arrayHeader begins another table of a top-level array.
func (p *fastParser) arrayHeader(name string) bool {
	there := p.tree.Value(name)
	list, ok := there.([]any)
	if !isBareKey(name) || there != nil && !(ok && slices.Contains(p.arrays, name)) {
		return false
	}
	p.table, p.path = &Table{}, name
	p.tree.Set(name, append(list, p.table))
	if !ok {
		p.arrays = append(p.arrays, name)
	}
	return true
}

// header begins a table; those above it are made if they are missing.
func (p *fastParser) header(path string) bool {
	if slices.Contains(p.closed, path) {
		return false
	}
	at := p.tree
	for end := 0; end < len(path); end++ {
		name, _, _ := strings.Cut(path[end:], ".")
		end += len(name)
		if at = sub(at, name); at == nil || end == len(path)-1 || p.isDotted(path[:end]) {
			return false
		}
	}
	p.closed = append(p.closed, path)
	p.table, p.path = at, path
	return path != ""
}

// isDotted reports whether a dotted key made the table at path, or it was written on one line.
func (p *fastParser) isDotted(path string) bool { return slices.Contains(p.closed, path+".") }

// sub returns the table called name in at, which it makes if it is missing; nil if something else has the name.
func sub(at *Table, name string) *Table {
	if !isBareKey(name) {
		return nil
	}
	there := at.Value(name)
	if there == nil {
		there = &Table{}
		at.Set(name, there)
	}
	table, _ := there.(*Table)
	return table
}

// set gives a key its value, in the table that the last header began. A dotted key goes into a table of its own.
func (p *fastParser) set(key string, value any) bool {
	at := p.table
	if _, inline := value.(*Table); inline {
		p.close(key)
	}
	if outer, inner, dotted := strings.Cut(key, "."); dotted {
		if !isBareKey(outer) || at.Value(outer) != nil {
			return false
		}
		p.close(outer)
		made := &Table{}
		at.Set(outer, made)
		at, key = made, inner
	}
	if !isBareKey(key) || at.Value(key) != nil {
		return false
	}
	at.Set(key, value)
	return true
}

// close keeps headers from extending the table at this key of the table that the last header began.
func (p *fastParser) close(key string) {
	if p.path != "" {
		key = p.path + "." + key
	}
	p.closed = append(p.closed, key+".")
}

func isBareKey(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return name != ""
}

// fastValue returns what [fastItem] returns, or a table of such values on one line; a comment may follow.
func fastValue(text string) (value any, ok bool) {
	if inner, inline := strings.CutPrefix(text, "{"); inline {
		value, text, ok = fastInline(strings.TrimLeft(inner, " \t"))
	} else {
		value, text, ok = fastItem(text)
	}
	text = strings.TrimLeft(text, " \t")
	return value, ok && (text == "" || text[0] == '#')
}

// fastItem returns a string without escapes, a list of them on one line, a short whole number or a boolean.
func fastItem(text string) (value any, rest string, ok bool) {
	switch {
	case strings.HasPrefix(text, "["):
		return fastList(strings.TrimLeft(text[1:], " \t"))
	case strings.HasPrefix(text, `"`):
		return fastString(text)
	}
	return fastWord(text)
}

// maxDigits is how long a whole number may be for the fast reader.
const maxDigits = 9

// fastWord returns true, false, or a number that is no more than decimal digits.
func fastWord(text string) (value any, rest string, ok bool) {
	end := 0
	for end < len(text) && (isBareKey(text[end:end+1]) || text[end] == '.' || text[end] == ':' || text[end] == '+') {
		end++
	}
	word, rest := text[:end], text[end:]
	switch {
	case word == "true", word == "false":
		return word == "true", rest, true
	case word == "", len(word) > maxDigits, word[0] == '0' && len(word) > 1:
		return nil, rest, false
	}
	n := int64(0)
	for _, c := range []byte(word) {
		if c < '0' || c > '9' {
			return nil, rest, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, rest, true
}

// fastInline returns the table whose first key text begins with.
func fastInline(text string) (t *Table, rest string, ok bool) {
	t = &Table{}
	if rest, empty := strings.CutPrefix(text, "}"); empty {
		return t, rest, true
	}
	for {
		key, rest, _ := strings.Cut(text, "=")
		key = strings.TrimRight(key, " \t")
		if !isBareKey(key) || t.Value(key) != nil {
			return nil, text, false
		}
		value, rest, ok := fastItem(strings.TrimLeft(rest, " \t"))
		if !ok {
			return nil, text, false
		}
		t.Set(key, value)
		rest = strings.TrimLeft(rest, " \t")
		if end, last := strings.CutPrefix(rest, "}"); last {
			return t, end, true
		}
		if text, ok = strings.CutPrefix(rest, ","); !ok {
			return nil, text, false
		}
		text = strings.TrimLeft(text, " \t")
	}
}

func fastList(text string) (list []any, rest string, ok bool) {
	list = []any{}
	for !strings.HasPrefix(text, "]") {
		var s string
		if s, text, ok = fastString(text); !ok {
			return nil, text, false
		}
		list = append(list, s)
		text = strings.TrimLeft(text, " \t")
		if next, comma := strings.CutPrefix(text, ","); comma {
			text = strings.TrimLeft(next, " \t")
		} else if !strings.HasPrefix(text, "]") {
			return nil, text, false
		}
	}
	return list, text[1:], true
}

func fastString(text string) (s, rest string, ok bool) {
	text, ok = strings.CutPrefix(text, `"`)
	if !ok || strings.HasPrefix(text, `""`) { // """: a string of several lines
		return "", text, false
	}
	s, rest, ok = strings.Cut(text, `"`)
	return s, rest, ok && !strings.ContainsRune(s, '\\')
}
