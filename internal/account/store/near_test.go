package store

import (
	"testing"

	"swop/internal/account"
)

func accountsCalled(labels ...string) []account.Account {
	var list []account.Account
	for _, label := range labels {
		list = append(list, account.Account{Key: label, Meta: account.Meta{Label: "the " + label}})
	}
	return list
}

func TestNear(t *testing.T) {
	for _, tt := range []struct {
		asked string
		there []string
		want  string
	}{
		{"work", nil, ""},
		{"work", []string{"home"}, ""},
		{"wrk", []string{"work"}, "the work"},   // one missing
		{"woork", []string{"work"}, "the work"}, // one too many
		{"wirk", []string{"work"}, "the work"},  // one wrong
		{"wrok", []string{"work"}, "the work"},  // two swapped
		{"owkr", []string{"work"}, ""},          // two, and short
		{"work", []string{"work"}, ""},          // no slip
		{"persnl", []string{"personal"}, "the personal"},
		{"persn", []string{"personal"}, ""}, // short, and three
		{"pesronla", []string{"personal"}, "the personal"},
		{"client", []string{"clint"}, "the clint"},
		{"cliet", []string{"clients"}, ""}, // two, but five letters
		{"cliant", []string{"clients"}, "the clients"},
		{"agent-1", []string{"agent-2"}, ""},
		{"agent-1", []string{"agent-11"}, ""},
		{"agent-12", []string{"agent-21"}, ""},
		{"agent1", []string{"agent-1"}, "the agent-1"},
		{"agnet-1", []string{"agent-1", "agent-2"}, "the agent-1"},
		{"work", []string{"works", "wor"}, "the works"}, // a tie: the first
		{"worksho", []string{"workers", "workshop"}, "the workshop"},
		{"a", []string{"b"}, "the b"},
		{"work2", []string{"work"}, ""},
	} {
		if got := near(tt.asked, accountsCalled(tt.there...)); got != tt.want {
			t.Errorf("near(%q, %q) = %q, want %q", tt.asked, tt.there, got, tt.want)
		}
	}
}
