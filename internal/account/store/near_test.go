package store

import (
	"testing"

	"swop/internal/account"
)

func TestNear(t *testing.T) {
	for _, tt := range []struct{ asked, there, want string }{
		{"home", "work", ""},
		{"wrk", "work", "the work"},
		{"woork", "work", "the work"},
		{"wirk", "work", "the work"},
		{"wrok", "work", "the work"},
		{"owkr", "work", ""}, // two
		{"work", "work", ""}, // no slip
		{"agent-1", "agent-2", ""},
		{"agent-1", "agent-11", ""},
		{"agent1", "agent-1", "the agent-1"},
		{"a", "b", "the b"},
		{"work2", "work", ""},
	} {
		accounts := []account.Account{{Key: tt.there, Meta: account.Meta{Label: "the " + tt.there}}}
		if got := near(tt.asked, accounts); got != tt.want {
			t.Errorf("near(%q, %q) = %q, want %q", tt.asked, tt.there, got, tt.want)
		}
	}
}
