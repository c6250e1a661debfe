package say

import (
	"errors"
	"strconv"
	"strings"
)

// The shim formats its few messages here: package fmt, with reflect behind it, would add to what each start of codex maps.

// Sprintf is fmt.Sprintf for the verbs %s, %q, %d and %v without flags. An operand is a string, an integer, an error or a Stringer; any
// other one shows as %!VERB.
func Sprintf(format string, args ...any) string {
	text, _ := expand(format, args)
	return text
}

// Errorf is fmt.Errorf for the verbs of [Sprintf], and one %w.
func Errorf(format string, args ...any) error {
	text, err := expand(format, args)
	if err == nil {
		return errors.New(text)
	}
	return &wrapper{text, err}
}

// wrapper is an error whose text tells of another one.
type wrapper struct {
	text string
	err  error
}

func (w *wrapper) Error() string { return w.text }

func (w *wrapper) Unwrap() error { return w.err }

// expand returns the text, and the operand of %w.
func expand(format string, args []any) (string, error) {
	var wrapped error
	var b []byte
	for {
		text, rest, found := strings.Cut(format, "%")
		b = append(b, text...)
		switch {
		case !found:
			return string(b), wrapped
		case rest == "" || rest[0] != '%' && len(args) == 0:
			return string(b) + "%!" + rest, wrapped
		case rest[0] == '%':
			b = append(b, '%')
		default:
			if rest[0] == 'w' {
				wrapped, _ = args[0].(error)
			}
			b = appendOperand(b, rest[0], args[0])
			args = args[1:]
		}
		format = rest[1:]
	}
}

func appendOperand(b []byte, verb byte, operand any) []byte {
	text, ok := textOf(operand)
	switch {
	case !ok || !strings.ContainsRune("dqsvw", rune(verb)):
		return append(b, '%', '!', verb)
	case verb == 'q':
		return strconv.AppendQuote(b, text)
	}
	return append(b, text...)
}

// textOf returns an operand as %v shows it, and whether its type is one of those that are formatted here.
func textOf(operand any) (string, bool) {
	switch v := operand.(type) {
	case string:
		return v, true
	case error:
		return v.Error(), true
	case interface{ String() string }:
		return v.String(), true
	case int:
		return strconv.Itoa(v), true
	case int32:
		return strconv.Itoa(int(v)), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case uint64:
		return strconv.FormatUint(v, 10), true
	case uint32:
		return strconv.FormatUint(uint64(v), 10), true
	}
	return "", false
}

// Octal returns permission bits as chmod(1) takes them: 0755.
func Octal(mode uint32) string { return "0" + strconv.FormatUint(uint64(mode), 8) }
