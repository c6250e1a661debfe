//go:build unix

package terminal

import (
	"slices"
	"testing"
	"time"
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
		{"世界 世界", 8, 0, []string{"世界", "世界"}},
		{"one two", Unbounded, 2, []string{"one two"}},
		{"one two", -3, 0, []string{"one", "two"}},
	} {
		if got := Fold(tt.text, tt.width, tt.indent); !slices.Equal(got, tt.want) {
			t.Errorf("Fold(%q, %d, %d) = %q, want %q", tt.text, tt.width, tt.indent, got, tt.want)
		}
	}
}

func TestAgo(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for since, want := range map[time.Duration]string{
		-48 * time.Hour: "2026-03-03", -30 * time.Second: "just now", 0: "just now", 59 * time.Second: "just now",
		time.Minute: "1 min ago", 59*time.Minute + 59*time.Second: "59 min ago", time.Hour: "1 h ago", 47 * time.Hour: "47 h ago",
		48 * time.Hour: "2 days ago", 59 * day: "59 days ago", 60 * day: "2 months ago", 729 * day: "24 months ago", 730 * day: "2 years ago",
	} {
		then := noon.Add(-since)
		if got := Ago(noon, &then); got != want {
			t.Errorf("ago of %v = %q, want %q", since, got, want)
		}
	}
	if got := Ago(noon, nil); got != "never" {
		t.Errorf("ago of nothing = %q, want %q", got, "never")
	}
}
