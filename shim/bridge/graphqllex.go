package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// The reader of GraphQL takes the part of the language that queries consist of (spec.graphql.org, October 2021), and nothing that readers
// understand in different ways. What is sent on is written from the words that it understood, not from the text that came.

// word is a token of GraphQL.
type word struct {
	kind wordKind
	text string // in the form in which it is sent on
	says string // what a string stands for
}

type wordKind uint8

const (
	punctuation wordKind = iota
	name
	number
	quoted
)

const maxWords = 50_000

// words returns the tokens of a document.
func words(text string) ([]word, error) {
	var list []word
	for text != "" {
		if strings.IndexByte(" \t\r\n,", text[0]) >= 0 {
			text = text[1:]
			continue
		}
		w, rest, err := firstWord(text)
		if err != nil {
			return nil, err
		}
		if list = append(list, w); len(list) > maxWords {
			return nil, errors.New("the query is too long")
		}
		text = rest
	}
	return list, nil
}

func firstWord(text string) (w word, rest string, err error) {
	end := 1
	switch c := text[0]; {
	case isNameStart(c):
		for end < len(text) && (isNameStart(text[end]) || isDigit(text[end])) {
			end++
		}
		return word{kind: name, text: text[:end]}, text[end:], nil
	case strings.HasPrefix(text, "..."):
		return word{text: "..."}, text[3:], nil
	case strings.IndexByte("!$()[]{}:=@|&", c) >= 0:
		return word{text: text[:1]}, text[1:], nil
	case c == '"':
		return firstString(text)
	case c == '-' || isDigit(c):
		for end < len(text) && (isNameStart(text[end]) || isDigit(text[end]) || strings.IndexByte("+-.", text[end]) >= 0) {
			end++
		}
		if !json.Valid([]byte(text[:end])) { // whose numbers are GraphQL's
			return w, "", errors.New("the query has a number that is none")
		}
		return word{kind: number, text: text[:end]}, text[end:], nil
	}
	return w, "", fmt.Errorf("the query has a character that is not read here: %q", text[:1])
}

// firstString reads a string on one line, whose escapes are JSON's.
func firstString(text string) (w word, rest string, err error) {
	if strings.HasPrefix(text, `"""`) {
		return w, "", errors.New(`the query has a string in """, which is not read here`)
	}
	for end := 1; end < len(text); end++ {
		switch c := text[end]; {
		case c == '\\':
			end++
		case c == '"':
			if err := json.Unmarshal([]byte(text[:end+1]), &w.says); err != nil || strings.ContainsRune(w.says, '\ufffd') {
				return w, "", errors.New("the query has a string that cannot be read")
			}
			again, err := json.Marshal(w.says)
			return word{quoted, string(again), w.says}, text[end+1:], err
		}
	}
	return w, "", errors.New("the query has a string without an end")
}

func isNameStart(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
