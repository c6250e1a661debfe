//go:build unix

package disk

import (
	"golang.org/x/sys/unix"
)

// Older reports whether a is before b.
func Older(a, b unix.Timespec) bool {
	return a.Sec < b.Sec || a.Sec == b.Sec && a.Nsec < b.Nsec
}

// Timespec returns the time of these seconds and nanoseconds.
func Timespec(sec, nsec uint64) unix.Timespec {
	return unix.Timespec{Sec: int64(sec), Nsec: int64(nsec)}
}
