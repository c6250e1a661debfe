package store

import "testing"

func TestIsSlip(t *testing.T) {
	for _, tt := range []struct {
		asked, there string
		want         bool
	}{
		{"home", "work", false},
		{"wrk", "work", true},
		{"woork", "work", true},
		{"wirk", "work", true},
		{"wrok", "work", true},
		{"owkr", "work", false}, // two
		{"work", "work", false}, // no slip
		{"agent-1", "agent-2", false},
		{"agent-1", "agent-11", false},
		{"agent1", "agent-1", true},
		{"a", "b", true},
		{"work2", "work", false},
	} {
		if got := IsSlip(tt.asked, tt.there); got != tt.want {
			t.Errorf("IsSlip(%q, %q) = %t, want %t", tt.asked, tt.there, got, tt.want)
		}
	}
}
