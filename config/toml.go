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

// IsDeep reports whether a TOML text is nested more deeply than the library reads in reasonable time. It looks no closer than at
// brackets and dots: what is within quotes counts, too.
func IsDeep(text string) bool {
	depth, dots := 0, 0
	for i := range len(text) {
		switch text[i] {
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
