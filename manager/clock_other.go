//go:build unix && !linux

package manager

import (
	"time"

	"golang.org/x/sys/unix"
)

// coarseNow is the time of day: APFS stamps files with nanoseconds.
func coarseNow() (unix.Timespec, error) {
	return unix.NsecToTimespec(time.Now().UnixNano()), nil
}
