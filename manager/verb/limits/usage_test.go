//go:build unix

package limits

import (
	"strings"
	"testing"
	"time"

	"swop/account"
	"swop/internal/testcall"
	"swop/limits/pool"
	"swop/limits/usage"
	"swop/manager/terminal"
)

// someUsage are accounts of every kind.
func someUsage() []UsageEntry {
	read, marked := testcall.Noon.Add(-time.Hour), testcall.Noon.Add(time.Hour)
	week := usageWindow{pool.Window{Minutes: 10080, Used: 40, ResetsAt: account.At(testcall.Noon.Add(48 * time.Hour))}, 60}
	return []UsageEntry{
		{Label: "work", Key: "work", Mode: "chatgpt", Plan: "plus", Windows: []usageWindow{{pool.Window{Minutes: 300, Used: 42, ResetsAt: account.At(testcall.Noon.Add(time.Hour))}, 58}, week}, Credits: &usage.Credits{Has: true, Balance: "12.5"}, ReadAt: &read},
		{Label: "a label of many words", Key: "a", Mode: "chatgpt", Plan: "pro", Windows: []usageWindow{week}, ReadAt: &read, Problem: usage.Offline, BlockedUntil: &marked, Reached: "workspace_owner_credits_depleted"},
		{Label: "ci", Key: "ci", Mode: "api-key", Problem: usage.APIKey},
		{Label: "new", Key: "new", Mode: "chatgpt"},
	}
}

// No line is wider than the terminal, except for a word that is.
func TestUsageFits(t *testing.T) {
	a := testcall.New(t)
	list := someUsage()
	for width := terminal.Usual; width < 250; width++ {
		lines := usageLines(a, list, width)
		for _, line := range lines {
			if got := terminal.Cells(line); got > width || strings.HasSuffix(line, " ") {
				t.Fatalf("in %d columns the table has the line %q of %d", width, line, got)
			}
		}
		text := strings.Join(strings.Fields(strings.NewReplacer(" left, resets at", " till").Replace(strings.Join(lines, " "))), " ")
		for _, want := range []string{"work", "58 % till 13:00", "12.5", "the server cannot be reached", "an API key has no plan limits", "never"} {
			if !strings.Contains(text, want) {
				t.Fatalf("in %d columns the table has no %q:\n%s", width, want, strings.Join(lines, "\n"))
			}
		}
	}
	usual := []UsageEntry{list[0], {Label: "me@example.com", Key: "me", Mode: "chatgpt", Plan: "business", Windows: list[0].Windows, ReadAt: list[0].ReadAt, Problem: usage.Refused}}
	for width, want := range map[int]string{
		80: `ACCOUNT         PLAN      5 HOURS LEFT     WEEK LEFT            CREDITS  READ
work            plus      58 % till 13:00  60 % till Tue 12:00  12.5     1 h ago
me@example.com  business  58 % till 13:00  60 % till Tue 12:00           1 h ago
me@example.com: the server refuses the login`,
		72: `ACCOUNT         5 HOURS LEFT     WEEK LEFT            CREDITS  READ
work            58 % till 13:00  60 % till Tue 12:00  12.5     1 h ago
me@example.com  58 % till 13:00  60 % till Tue 12:00           1 h ago
me@example.com: the server refuses the login`,
	} {
		if got := strings.Join(usageLines(a, usual, width), "\n"); got != want {
			t.Errorf("in %d columns the table is\n%s\nwant\n%s", width, got, want)
		}
	}
	usual[0].Credits, usual[1].Label = nil, "personal"
	want60 := `ACCOUNT   5 HOURS LEFT     WEEK LEFT            READ
work      58 % till 13:00  60 % till Tue 12:00  1 h ago
personal  58 % till 13:00  60 % till Tue 12:00  1 h ago
personal: the server refuses the login`
	if got := strings.Join(usageLines(a, usual, 60), "\n"); got != want60 {
		t.Errorf("in 60 columns the table is\n%s\nwant\n%s", got, want60)
	}
	want := `ACCOUNT                PLAN     5 HOURS                     WEEK                            CREDITS  READ
work                   plus     58 % left, resets at 13:00  60 % left, resets on Tue 12:00  12.5     60 min ago`
	if got := strings.Join(usageLines(a, list, terminal.Unbounded)[:2], "\n"); got != strings.Replace(want, "60 min", "1 h", 1) {
		t.Errorf("the table begins\n%s\nwant\n%s", got, want)
	}
}

func TestWindowName(t *testing.T) {
	for minutes, want := range map[int]string{
		0: "limit", 1: "1 minute", 90: "90 minutes", 60: "1 hour", 300: "5 hours", 1440: "1 day", 2880: "2 days", 10080: "week", 43200: "month", 44640: "month", 43201: "month",
	} {
		if got := windowName(minutes); got != want {
			t.Errorf("windowName(%d) = %q, want %q", minutes, got, want)
		}
	}
}
