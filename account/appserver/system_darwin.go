package appserver

import (
	"context"
	"os"

	"golang.org/x/sys/unix"

	"swop/account/process"
)

// end asks the servers to stop, whatever they do, and fails if one does not. It sends no signals: nothing of that was proven on a Mac.
func (o StopOptions) end(ctx context.Context, servers []process.Process, _ activity) error {
	return o.askOnly(ctx, servers)
}

// peerPID returns the process at the other end of a connected Unix socket. Unproven: built, never run on a Mac.
func peerPID(fd int) (int, error) {
	pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	return pid, os.NewSyscallError("getsockopt LOCAL_PEERPID", err)
}
