package terminal

import (
	"os"
	"strings"
	"testing"

	"swop/internal/say"
)

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
