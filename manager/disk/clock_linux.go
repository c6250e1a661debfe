package disk

import (
	"golang.org/x/sys/unix"
)

// FileClock is the clock of the kernel's file time stamps (current_time in fs/inode.c).
func FileClock() (unix.Timespec, error) {
	var now unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now)
	return now, err
}
