//go:build unix && !linux

package manager

import "golang.org/x/sys/unix"

// coarseNow is the time of day: APFS stamps files with nanoseconds.
func coarseNow() (unix.Timespec, error) {
	var now unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_REALTIME, &now)
	return now, err
}
