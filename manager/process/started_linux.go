package process

import (
	"time"

	"golang.org/x/sys/unix"
)

// Started returns when the process was started, to a hundredth of a second, given the current time: /proc/PID/stat counts from the boot
// (proc_pid_stat(5)).
func (p Process) Started(now time.Time) (time.Time, error) {
	var boot unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot); err != nil {
		return time.Time{}, err
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100 on every platform that Linux has
	age := time.Duration(boot.Nano()) - time.Duration(p.start)*tick
	return now.Add(-age), nil
}
