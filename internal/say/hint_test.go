package say

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"
)

func TestHints(t *testing.T) {
	inner := WithHint(fs.ErrNotExist, "first")
	for _, tt := range []struct {
		err  error
		want []string
	}{
		{nil, nil},
		{fs.ErrNotExist, nil},
		{inner, []string{"first"}},
		{fmt.Errorf("outer: %w", inner), []string{"first"}},
		{WithHint(fmt.Errorf("outer: %w", inner), "second"), []string{"first", "second"}},
	} {
		if got := Hints(tt.err); !slices.Equal(got, tt.want) {
			t.Errorf("Hints(%v) = %q, want %q", tt.err, got, tt.want)
		}
	}
	if WithHint(nil, "x") != nil {
		t.Error("WithHint(nil) is an error")
	}
	if err := WithHint(inner, "second"); !errors.Is(err, fs.ErrNotExist) || err.Error() != fs.ErrNotExist.Error() {
		t.Errorf("WithHint hides %q", err)
	}
}
