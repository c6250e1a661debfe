//go:build unix && !linux

package disk

import (
	"golang.org/x/sys/unix"
)

// FileClock is the time of day: APFS stamps files with nanoseconds.
func FileClock() (unix.Timespec, error) {
	var now unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_REALTIME, &now)
	return now, err
}
