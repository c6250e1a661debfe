//go:build unix

package usage

import (
	"testing"
	"time"
)

// A time is told in the zone of who asks, with the day where it is not theirs.
func TestWhen(t *testing.T) {
	east := time.FixedZone("", 9*3600)
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC) // 21:00 in the east
	for _, tt := range []struct {
		at, now time.Time
		want    string
	}{
		{now.Add(time.Hour), now, "at 13:00"},
		{now.Add(time.Hour), now.In(east), "at 22:00"},
		{now.Add(4 * time.Hour), now.In(east), "on Thu 01:00"},
		{now.Add(5 * 24 * time.Hour), now, "on Mon 12:00"},
		{now.Add(7 * 24 * time.Hour), now, "on 8 Jul 12:00"},
	} {
		if got := When(tt.at, tt.now); got != tt.want {
			t.Errorf("When(%v, %v) = %q, want %q", tt.at, tt.now, got, tt.want)
		}
	}
}
