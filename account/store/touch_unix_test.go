//go:build unix

package store

import (
	"testing"
	"time"

	"swop/account"
	"swop/internal/testhome"
)

// A use is written on both paths, a minute after the last one was.
func TestTouch(t *testing.T) {
	s := testStore(t)
	testAccountOf(t, s, "work")
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		after   time.Duration
		written bool
	}{{0, true}, {59 * time.Second, false}, {time.Minute, true}, {time.Hour, true}} {
		var fast account.Account
		if !s.FastAccount("work", &fast) || !s.FastTouch(&fast, account.At(now.Add(tt.after))) {
			t.Fatal("the fast path does not write")
		}
		if tt.written {
			now = now.Add(tt.after)
		}
		a, err := s.Account("work")
		testhome.NoError(t, err)
		if a.Meta.LastUsedAt != account.At(now) {
			t.Errorf("after %v, last used at %v, want %v", tt.after, a.Meta.LastUsedAt.Time(), now)
		}
	}
}
