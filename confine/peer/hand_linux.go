package peer

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Send passes the listener through a stream of Unix sockets, with a byte, and waits for the byte that says that it is served.
func Send(socket, listener *os.File) error {
	if err := unix.Sendmsg(int(socket.Fd()), []byte{0}, unix.UnixRights(int(listener.Fd())), nil, 0); err != nil {
		return os.NewSyscallError("sendmsg", err)
	}
	_, err := io.ReadFull(socket, make([]byte, 1))
	return errors.Join(err, listener.Close())
}

// Receive returns the listener that [Send] passes. The error is [io.EOF] if the sender ended before, and an errno if it sent that byte alone.
func Receive(socket *os.File) (listener *os.File, err error) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	var n, rights int
	var failed error
	text, oob := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	err = raw.Read(func(fd uintptr) bool {
		n, rights, _, _, failed = unix.Recvmsg(int(fd), text, oob, unix.MSG_CMSG_CLOEXEC)
		return !errors.Is(failed, unix.EAGAIN)
	})
	if err = errors.Join(err, os.NewSyscallError("recvmsg", failed)); err == nil && n == 0 {
		err = io.EOF
	}
	if err == nil && rights == 0 {
		err = unix.Errno(text[0])
	}
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(oob[:rights])
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(err, unix.EBADMSG)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, errors.Join(err, unix.EBADMSG)
	}
	return os.NewFile(uintptr(fds[0]), "listener"), nil
}
