package peer

import (
	"errors"
	"io"
	"net"
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

// Receive returns the listener that [Send] passes. The error is [io.EOF] if the sender ended before, and the text that it sent instead of a listener.
func Receive(socket *os.File) (listener *os.File, err error) {
	file, err := net.FileConn(socket)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	conn, ok := file.(*net.UnixConn)
	if !ok {
		return nil, unix.ENOTSOCK
	}
	const most = 1 << 12
	text, oob := make([]byte, most), make([]byte, unix.CmsgSpace(4))
	n, rights, _, _, err := conn.ReadMsgUnix(text, oob)
	if err == nil && rights == 0 {
		err = errors.New(string(text[:n]))
	}
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(oob[:rights])
	if err != nil {
		return nil, err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fds[0]), "listener"), nil
}
