package config

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// maxDepth bounds the tables in tables and the parts of a key: beyond, the library takes seconds for a few kilobytes.
const maxDepth = 100

// parse reads a TOML text into maps, whose names keep their case: into structs the library folds it. What is not TOML is an [*Error].
func parse(text string) (map[string]any, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	switch {
	case !utf8.ValidString(text):
		return nil, &Error{Reason: "is not UTF-8"}
	case len(text) > maxText:
		return nil, &Error{Reason: "is larger than 64 KiB"}
	case IsDeep(text):
		return nil, &Error{Reason: "has more than 100 tables or arrays in each other, or more than 100 parts in a key"}
	}
	var top map[string]any
	_, err := toml.Decode(text, &top)
	if defect, ok := errors.AsType[toml.ParseError](err); ok {
		reason, _, _ := strings.Cut(defect.Message, " but found") // what was found may be a token
		return nil, &Error{Line: defect.Position.Line, Reason: strings.TrimSuffix(reason, ".")}
	}
	return top, err
}

// IsDeep reports whether a TOML text is nested more deeply than the library reads in reasonable time.
func IsDeep(text string) bool {
	depth, dots := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '#':
			comment, _, _ := strings.Cut(text[i:], "\n")
			i += len(comment) - 1
		case '"', '\'':
			i += quotedLength(text[i:]) - 1
		case '[', '{':
			depth++
			dots = 0
		case ']', '}':
			depth = max(depth-1, 0)
		case '.':
			dots++
		case '=', ',', '\n':
			dots = 0
		}
		if depth > maxDepth || dots > maxDepth {
			return true
		}
	}
	return false
}

// quotedLength returns the length of the string that text begins with, with its quotes: one, or three where it may have several
// lines. One that has no end goes up to the end of the text.
func quotedLength(text string) int {
	quote := text[:1]
	if strings.HasPrefix(text, strings.Repeat(quote, 3)) {
		quote = text[:3]
	}
	for i := len(quote); i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		case text[i] == '\\' && quote[0] == '"':
			i++
		}
	}
	return len(text)
}
