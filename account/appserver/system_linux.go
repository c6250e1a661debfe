package appserver

import (
	"os"

	"golang.org/x/sys/unix"
)

// peerPID returns the process at the other end of a connected Unix socket: the one that listened, not one that it passed the socket to.
func peerPID(fd int) (int, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, os.NewSyscallError("getsockopt SO_PEERCRED", err)
	}
	return int(cred.Pid), nil
}
