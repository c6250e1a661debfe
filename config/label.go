package config

import (
	"fmt"
	"strconv"
	"strings"
)

// maxLabel is the longest label and key in bytes: a key is a directory name, and stays far below every file system's 255.
const maxLabel = 64

// LabelError says why a label cannot name an account.
type LabelError struct {
	Label  string
	Reason string
}

func (e *LabelError) Error() string {
	text := fmt.Sprintf("label %.*q: %s", maxLabel, e.Label, e.Reason) // the beginning: a hostile label does not fill the screen
	words := strings.FieldsFunc(e.Label, func(r rune) bool { key, ok := keyByte(r); return !ok || key == '-' })
	_, err := Key(e.Label)
	if other, err2 := Key(strings.Join(words, "-")); err != nil && err2 == nil { // else a name that stands for something
		text += "; for example: " + other
	}
	return text
}

// Key returns the directory name of the account that label names: ASCII lower-case, a space or underscore as "-", runs of "-"
// as one. What does not fit [a-z0-9-] then is refused with a [*LabelError], never dropped or folded, so that two labels meet in
// one key only where a person would read them as one. A key is its own key, and never leaves the directory it is joined to.
func Key(label string) (string, error) {
	switch {
	case label == "":
		return "", &LabelError{label, "is empty"}
	case len(label) > maxLabel:
		return "", &LabelError{label, fmt.Sprintf("is %d bytes long, at most %d are allowed", len(label), maxLabel)}
	}
	key := make([]byte, 0, len(label))
	for i, r := range label {
		c, ok := keyByte(r)
		if !ok {
			const reason = "%s at byte %d is not allowed, only ASCII letters, digits, space, _ and -"
			return "", &LabelError{label, fmt.Sprintf(reason, strconv.QuoteRune(r), i+1)}
		}
		if c != '-' || len(key) == 0 || key[len(key)-1] != '-' {
			key = append(key, c)
		}
	}
	if key[0] == '-' || key[len(key)-1] == '-' {
		return "", &LabelError{label, "must begin and end with a letter or digit"}
	}
	return string(key), nil
}

// HasKey reports whether the label names the account with this key.
func HasKey(label, key string) bool {
	k, err := Key(label)
	return err == nil && k == key
}

func keyByte(r rune) (byte, bool) {
	switch {
	case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
		return byte(r), true
	case r >= 'A' && r <= 'Z':
		return byte(r) + ('a' - 'A'), true
	case r == ' ' || r == '_':
		return '-', true
	}
	return 0, false
}
