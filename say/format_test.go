package say

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"time"
)

// TestErrorf compares with package fmt.
func TestErrorf(t *testing.T) {
	for _, tt := range []struct {
		format string
		args   []any
	}{
		{"", nil},
		{"no operand, 100%%", nil},
		{"%s%%%q", []any{"a%d", "b\n\x00é\xff"}},
		{"%s: %w", []any{"a", fs.ErrNotExist}},
		{"%w: %v", []any{fs.ErrNotExist, fs.ErrExist}},
		{"%d of %d, %d, %d", []any{-3, int64(1) << 40, uint64(1) << 63, uint32(7)}},
		{"%v %v %s", []any{time.Second, 3, errors.New("x")}},
	} {
		want, got := fmt.Errorf(tt.format, tt.args...), Errorf(tt.format, tt.args...)
		if got.Error() != want.Error() || errors.Unwrap(got) != errors.Unwrap(want) {
			t.Errorf("Errorf(%q, %v) = %q which wraps %v, package fmt has %q which wraps %v", tt.format, tt.args, got, errors.Unwrap(got), want, errors.Unwrap(want))
		}
		if text := Sprintf(tt.format, tt.args...); text != want.Error() {
			t.Errorf("Sprintf(%q, %v) = %q, want %q", tt.format, tt.args, text, want)
		}
	}
}

func TestSprintfMisused(t *testing.T) {
	for _, tt := range []struct {
		format string
		args   []any
		want   string
	}{
		{"%s", nil, "%!s"},
		{"a%", []any{"b"}, "a%!"},
		{"%x", []any{"b"}, "%!x"},
		{"%v", []any{[]string{"b"}}, "%!v"},
		{"%d, %d", []any{1.5, 2}, "%!d, 2"},
	} {
		if got := Sprintf(tt.format, tt.args...); got != tt.want {
			t.Errorf("Sprintf(%q, %v) = %q, want %q", tt.format, tt.args, got, tt.want)
		}
	}
}
