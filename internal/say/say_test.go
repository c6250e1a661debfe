//go:build unix

package say

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

func TestComplain(t *testing.T) {
	inner := WithHint(errors.New("no account %s \"wrok\""), "codex swop list")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{errors.New("it"), "swop: it\n"},
		{inner, "swop: no account %s \"wrok\"\nswop: hint: codex swop list\n"},
		{WithHint(inner, "100% sure"), "swop: no account %s \"wrok\"\nswop: hint: codex swop list\nswop: hint: 100% sure\n"},
		{errors.Join(errors.New("one"), errors.New("two")), "swop: one\nswop: two\n"},
		{
			fmt.Errorf("all: %w", errors.Join(errors.New("one"), WithHint(errors.Join(errors.New("two"), errors.New("3\nhint: x")), "four"))),
			"swop: all: one\nswop: two\nswop: 3\\nhint: x\nswop: hint: four\n",
		},
		{&fs.PathError{Op: "open", Path: "/a\nhint: rm -rf ~ #", Err: fs.ErrNotExist}, "swop: open /a\\nhint: rm -rf ~ #: file does not exist\n"},
		{fmt.Errorf("%w: a\nb: %w\n", errors.New("one"), errors.New("two")), "swop: one: a\\nb: two\\n\n"},
		{WithHint(errors.New("/a\x1b[31m\tb\x00\u009bc\u202e\xff/é"), "\x07"), `swop: /a\x1b[31m\tb\x00\u009bc\u202e\xff/é` + "\nswop: hint: \\a\n"},
	} {
		var b strings.Builder
		Error(&b, tt.err)
		if b.String() != tt.want {
			t.Errorf("Complain(%v) = %q, want %q", tt.err, b.String(), tt.want)
		}
	}
}

// What a terminal would obey does not get there, and one message is one line.
func TestSayIsPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain \"text\", größer 日本": "swop: plain \"text\", größer 日本\n",
		"\x1b[31mred\x1b[0m":        "swop: \\x1b[31mred\\x1b[0m\n",
		"a\nswop: hint: rm":         "swop: a\\nswop: hint: rm\n",
		"\r\a\x00\x7f":              "swop: \\r\\a\\x00\\x7f\n",
		"\u202egnp.exe\u009b":       "swop: \\u202egnp.exe\\u009b\n",
		"\xff\xfe":                  "swop: \\xff\\xfe\n",
	} {
		var b strings.Builder
		Line(&b, "%s", text)
		if b.String() != want {
			t.Errorf("Say(%q) prints %q, want %q", text, b.String(), want)
		}
	}
}
