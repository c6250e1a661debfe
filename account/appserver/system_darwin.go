package appserver

import (
	"os"

	"golang.org/x/sys/unix"
)

// peerPID returns the process at the other end of a connected Unix socket. Unproven: built, never run on a Mac.
func peerPID(fd int) (int, error) {
	pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	return pid, os.NewSyscallError("getsockopt LOCAL_PEERPID", err)
}
