//go:build unix

package account

import (
	"testing"
	"time"
)

func TestTimeBounds(t *testing.T) {
	for at, want := range map[Time]bool{year0 - 1: false, year0: true, 0: true, year10000 - 1: true, year10000: false} {
		year := time.Unix(int64(at), 0).UTC().Year()
		if at.writable() != want || want != (year >= 0 && year <= 9999) {
			t.Errorf("%d, in the year %d, can be written: %t, want %t", at, year, at.writable(), want)
		}
	}
}

func TestNeedsTouch(t *testing.T) {
	const now = Time(1e9)
	for last, want := range map[Time]bool{0: true, now: false, now - 59: false, now - 60: true, now + 1: true, 1: true} {
		a := Account{Meta: Meta{LastUsedAt: last}}
		if got := a.NeedsTouch(now); got != want {
			t.Errorf("last used %d seconds ago: %t, want %t", now-last, got, want)
		}
	}
}
