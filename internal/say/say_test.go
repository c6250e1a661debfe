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
		{WithHint(errors.New("/a\x1b[31m\tb\x00\u009bc\u202e\xff/é"), "\x07\nb"), `swop: /a\x1b[31m\tb\x00\u009bc\u202e\xff/é` + "\nswop: hint: \\a\\nb\n"},
	} {
		var b strings.Builder
		Error(&b, tt.err)
		if b.String() != tt.want {
			t.Errorf("Complain(%v) = %q, want %q", tt.err, b.String(), tt.want)
		}
	}
}
