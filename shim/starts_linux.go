package shim

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// The kernel hands the timer slack of a process, in nanoseconds, on to all that the process starts or becomes, whatever environment and
// descriptors these get (prctl(2)). Its last three digits, which are zero elsewhere, count the starts.

// countedStarts returns how many starts of codex by a shim led to this process.
func countedStarts() int {
	slack, _ := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0) // 0 where the system has none
	if n := slack % 1000; n <= maxStarts {
		return n
	}
	return 0
}

// countStart sets the number that the programs started by this goroutine will read. Where that fails, the environment alone counts.
func countStart(starts int) {
	runtime.LockOSThread() // each thread has a slack, and the one that calls execve(2) or fork(2) hands its own on
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err == nil {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(slack-slack%1000+starts), 0, 0, 0)
	}
}
