package terminal

import (
	"os"
	"strings"
	"testing"
	"time"

	"swop/internal/say"
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

// A table that does not fit has one field a line.
func TestTable(t *testing.T) {
	columns := []Column{
		{Title: " ", Cells: []string{"", "*"}},
		{Title: "ACCOUNT", Cells: []string{"work", "Mein 例え"}},
		{Title: "LOGIN", Cells: []string{"someone.at@example.com", "none"}},
		{Title: "BOUND", Cells: []string{"", "~/a b"}},
	}
	want := "   ACCOUNT    LOGIN                   BOUND\n   work       someone.at@example.com\n*  Mein 例え  none                    ~/a b"
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(Streams{Stdout: null}.Table(columns), "\n"); got != want {
		t.Errorf("without a terminal the table is\n%s\nwant\n%s", got, want)
	}
	for width, want := range map[int]string{
		say.Unbounded: "ACCOUNT  work\nLOGIN    someone.at@example.com\n\nACCOUNT  * Mein 例え\nLOGIN    none\nBOUND    ~/a b",
		15:            "ACCOUNT  work\nLOGIN    someone.at@example.com\n\nACCOUNT  * Mein\n         例え\nLOGIN    none\nBOUND    ~/a b",
	} {
		if got := strings.Join(fields(columns, width), "\n"); got != want {
			t.Errorf("in %d columns the fields are\n%s\nwant\n%s", width, got, want)
		}
	}
}
