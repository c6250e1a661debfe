//go:build unix

package terminal

import (
	"testing"
	"time"
)

func TestAgo(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for since, want := range map[time.Duration]string{
		-48 * time.Hour: "2026-03-03", -30 * time.Second: "just now", 0: "just now", 59 * time.Second: "just now",
		time.Minute: "1 min ago", 59*time.Minute + 59*time.Second: "59 min ago", time.Hour: "1 h ago", 47 * time.Hour: "47 h ago",
		48 * time.Hour: "2 days ago", 59 * 24 * time.Hour: "59 days ago", 60 * 24 * time.Hour: "2025-12-31",
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
