package say

import (
	"slices"
	"testing"
)

func TestFold(t *testing.T) {
	for _, tt := range []struct {
		text          string
		width, indent int
		want          []string
	}{
		{"", 10, 2, []string{""}},
		{"one two", 7, 2, []string{"one two"}},
		{"one two", 6, 2, []string{"one", "  two"}},
		{"one two three", 6, 2, []string{"one", "  two", "  three"}},
		{"a /very/long/path b", 6, 0, []string{"a", "/very/long/path", "b"}},
		{"a  b", 9, 0, []string{"a  b"}},
		{"one two", Unbounded, 2, []string{"one two"}},
		{"one two", -3, 0, []string{"one", "two"}},
	} {
		if got := Fold(tt.text, tt.width, tt.indent); !slices.Equal(got, tt.want) {
			t.Errorf("Fold(%q, %d, %d) = %q, want %q", tt.text, tt.width, tt.indent, got, tt.want)
		}
	}
}
