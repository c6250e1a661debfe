//go:build unix

package testhome

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
)

// Ended reports whether the process has ended; its parent, which may be a container's first process, may never wait for it.
func Ended(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return unix.Kill(pid, 0) != nil || err == nil && strings.Contains(string(text), ") Z ")
}

// WantEnded waits for the end of the process, and kills one that goes on.
func WantEnded(t testing.TB, pid int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !Ended(pid); Tick(t) {
		if time.Now().After(end) {
			_ = unix.Kill(pid, unix.SIGKILL) // it may have ended now
			t.Fatalf("pid %d is alive", pid)
		}
	}
}

// ProgramScratch is a directory that can be written fast and whose programs can be run: one in memory, which some containers forbid, or
// else the one for temporary files.
func ProgramScratch() string {
	const memory = "/dev/shm"
	probe, err := os.CreateTemp(memory, "swop-probe-")
	if err != nil {
		return os.TempDir()
	}
	defer os.Remove(probe.Name())
	if errors.Join(probe.Chmod(0o700), probe.Close(), unix.Access(probe.Name(), unix.X_OK)) != nil {
		return os.TempDir()
	}
	return memory
}

// Tick waits until the clock of file times has passed this moment: it lags behind, by a tick or more, and files that were looked at
// get finer times.
func Tick(t testing.TB) {
	for start := unix.NsecToTimespec(time.Now().UnixNano()); ; {
		now, err := disk.FileClock()
		NoError(t, err)
		if start.Nano() < now.Nano() {
			return
		}
		time.Sleep(time.Millisecond / 4) // others need the processor
	}
}
