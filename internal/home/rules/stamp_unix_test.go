//go:build unix

package rules

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestSettled(t *testing.T) {
	now := unix.Timespec{Sec: 1000, Nsec: 500}
	for _, tt := range []struct {
		sec, nsec int64
		want      bool
	}{
		{999, 900, true},
		{1000, 499, true},
		{1000, 500, false}, // the tick of the look itself
		{1000, 501, false},
		{2000, 1, false}, // a clock was set back
		{1000, 0, false}, // a file system of whole seconds
		{998, 0, false},
		{997, 0, true},
		{2000, 0, false},
	} {
		if got := Settled(unix.Timespec{Sec: tt.sec, Nsec: tt.nsec}, now); got != tt.want {
			t.Errorf("a change at %d.%09d is settled at 1000.000000500: %t, want %t", tt.sec, tt.nsec, got, tt.want)
		}
	}
}
