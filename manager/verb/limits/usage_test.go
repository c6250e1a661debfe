//go:build unix

package limits

import (
	"strings"
	"testing"
	"time"

	"swop/internal/account"
	"swop/internal/limits/pool"
	"swop/internal/limits/usage"
	"swop/internal/test/testcall"
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

// Below the table is what is wrong.
func TestUsageLines(t *testing.T) {
	want := `ACCOUNT                PLAN     5 HOURS LEFT     WEEK LEFT            CREDITS  READ
work                   plus     58 % till 13:00  60 % till Tue 12:00  12.5     1 h ago
a label of many words  pro                       60 % till Tue 12:00           1 h ago
ci                     API key                                                 never
new                                                                            never
a label of many words: the server cannot be reached; this is kept for 5 minutes; to ask again: codex swop usage 'a label of many words' --max-age 0; the workspace's limit is reached; at its limit: used again at 13:00
ci: an API key has no plan limits`
	if got := strings.Join(usageLines(testcall.New(t), someUsage()), "\n"); got != want {
		t.Errorf("the table is\n%s\nwant\n%s", got, want)
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
