//go:build unix

package store

import (
	"testing"

	"swop/internal/account"
	"swop/internal/test/testhome"
)

func TestHourly(t *testing.T) {
	s := testStore(t)
	testAccountOf(t, s, "work")
	now, calls := account.At(testTime), 0
	for _, tt := range []struct {
		later account.Time
		calls int
	}{{0, 1}, {59 * 60, 1}, {60 * 60, 2}, {61 * 60, 2}, {0, 3}} { // at last the clock was set back
		testhome.NoError(t, s.Hourly(".x", now+tt.later, func() error { calls++; return nil }))
		if calls != tt.calls {
			t.Errorf("%d seconds later it was called %d times, want %d", tt.later, calls, tt.calls)
		}
	}
}
