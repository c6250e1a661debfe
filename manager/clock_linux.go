package manager

import "golang.org/x/sys/unix"

// coarseNow is the clock of the kernel's file time stamps (current_time in fs/inode.c).
func coarseNow() (unix.Timespec, error) {
	var now unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now)
	return now, err
}
