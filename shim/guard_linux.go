package shim

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
)

// ownProgram is a link to the file that this process runs (proc_pid_exe(5)).
const ownProgram = "/proc/self/exe"

// bootTicks is the time since boot in hundredths of a second, the clock of field 22 of /proc/PID/stat (proc_pid_stat(5)).
func bootTicks() uint64 {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		return 0
	}
	return uint64(now.Sec)*100 + uint64(now.Nsec)/1e7
}

// startedAfter reports whether this process is younger than ticks: then a guard of that time that names its pid means another.
func startedAfter(ticks uint64) bool {
	text, err := disk.ReadFile("/proc/self/stat", 0, 1<<12)
	if err != nil || ticks == 0 {
		return false
	}
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return false
	}
	start, err := strconv.ParseUint(string(fields[19]), 10, 64)
	return err == nil && start > ticks+1
}
