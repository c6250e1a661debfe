//go:build unix

package store

import (
	"os"
	"testing"
	"time"

	"swop/internal/test/testhome"
)

func TestHourly(t *testing.T) {
	s := testStore(t)
	testAccountOf(t, s, "work")
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	calls := 0
	due := func(now time.Time) bool {
		t.Helper()
		calls = 0
		testhome.NoError(t, Hourly(s.LockFile(".work"), now, func() error { calls++; return nil }))
		return calls == 1
	}
	if !due(noon) {
		t.Error("it is not called at once")
	}
	for last, want := range map[time.Duration]bool{59 * time.Minute: false, time.Hour: true, -2 * time.Hour: true, -time.Second: false} {
		at := noon.Add(-last)
		testhome.NoError(t, os.Chtimes(s.LockFile(".work"), at, at))
		if got := due(noon); got != want {
			t.Errorf("%v after the last call it is called: %v, want %v", last, got, want)
		}
	}
	testhome.NoError(t, os.Chtimes(s.LockFile(".work"), noon.Add(-time.Hour), noon.Add(-time.Hour)))
	for minutes, want := range []bool{true, false} { // the call that was made counts
		if got := due(noon.Add(time.Duration(minutes) * time.Minute)); got != want {
			t.Errorf("call %d: %v, want %v", minutes, got, want)
		}
	}
}
