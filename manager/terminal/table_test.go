package terminal

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// What does not fit is cut where it may be; where that is not enough, there is one field a line.
func TestTable(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	columns := []Column{
		{Title: " ", Cells: []string{"", "*"}},
		{Title: "ACCOUNT", Cells: []string{"work", "Mein 例え"}},
		{Title: "LOGIN", Cells: []string{"someone.at@example.com", "none"}, Least: 8},
		{Title: "BOUND", Cells: []string{"", "~/a b"}},
	}
	whole := "   ACCOUNT    LOGIN                   BOUND\n   work       someone.at@example.com\n*  Mein 例え  none                    ~/a b"
	cut := "   ACCOUNT    LOGIN                 BOUND\n   work       someone.at@example.…\n*  Mein 例え  none                  ~/a b"
	most := "   ACCOUNT    LOGIN     BOUND\n   work       someone…\n*  Mein 例え  none      ~/a b"
	one := "ACCOUNT  work\nLOGIN    someone.at@example.com\n\nACCOUNT  * Mein 例え\nLOGIN    none\nBOUND    ~/a b"
	narrow := "ACCOUNT  work\nLOGIN    someone.at@example.com\n\nACCOUNT  * Mein\n         例え\nLOGIN    none\nBOUND    ~/a b"
	for width, want := range map[int]string{Unbounded: whole, 43: whole, 41: cut, 29: most, 28: one, 20: one, 15: narrow} {
		lines, ok := fit(columns, width)
		if !ok {
			lines = fields(columns, width)
		}
		if got := strings.Join(lines, "\n"); got != want {
			t.Errorf("in %d columns the table is\n%s\nwant\n%s", width, got, want)
		}
	}
	if got := strings.Join(Streams{Stdout: null}.Table(columns), "\n"); got != whole {
		t.Errorf("without a terminal the table is\n%s\nwant\n%s", got, whole)
	}
}

// The second column is folded beside the first one, or below it. The first is pasted, and stays whole.
func TestFoldSecond(t *testing.T) {
	const line = "  codex swop use    choose the account that codex runs as"
	for width, want := range map[int]string{
		60: line,
		55: "  codex swop use    choose the account that codex runs\n                    as",
		49: "  codex swop use\n      choose the account that codex runs as",
		25: "  codex swop use\n      choose the account\n      that codex runs as",
		5:  "  codex swop use\n      choose\n      the\n      account\n      that\n      codex\n      runs\n      as",
	} {
		if got := strings.Join(FoldSecond(line, width), "\n"); got != want {
			t.Errorf("in %d columns it is\n%s\nwant\n%s", width, got, want)
		}
	}
	if got := fmt.Sprint(FoldSecond("  codex swop use", 5)); got != "[  codex swop use]" {
		t.Errorf("what is to be pasted is %s", got)
	}
}
