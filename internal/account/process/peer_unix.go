//go:build unix

package process

import (
	"errors"
	"net"
	"os"
)

// Peer returns the process and the user at the other end of a Unix socket: the one that connected or listened, not one that it passed the
// socket to.
func Peer(conn *net.UnixConn) (pid, uid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	failed := raw.Control(func(fd uintptr) { pid, uid, err = peer(int(fd)) })
	return pid, uid, errors.Join(failed, os.NewSyscallError("getsockopt", err))
}
