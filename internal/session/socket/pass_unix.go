//go:build unix

package socket

import (
	"net"

	"golang.org/x/sys/unix"
)

// maxPassed is what the kernel passes at once (SCM_MAX_FD).
const maxPassed = 253

// Pass sends a byte, and descriptors with it.
func Pass(conn *net.UnixConn, fds ...int) error {
	_, _, err := conn.WriteMsgUnix([]byte{0}, unix.UnixRights(fds...), nil)
	return err
}

// Receive reads a byte, and returns the descriptors that came with it.
func Receive(conn *net.UnixConn) (fds []int, err error) {
	one, rights := make([]byte, 1), make([]byte, unix.CmsgSpace(4*maxPassed))
	_, n, _, _, err := conn.ReadMsgUnix(one, rights)
	if err != nil {
		return nil, err
	}
	list, err := unix.ParseSocketControlMessage(rights[:n])
	for i := 0; err == nil && i < len(list); i++ {
		var got []int
		got, err = unix.ParseUnixRights(&list[i])
		fds = append(fds, got...)
	}
	return fds, err
}
