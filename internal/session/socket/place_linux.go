package socket

import (
	"fmt"
	"net"

	"swop/internal/disk"
)

// Dial connects to a socket in dir. That is named by way of the directory's descriptor, for a socket's path has 108 bytes at most
// (unix(7)).
func Dial(dir, name string) (conn net.Conn, err error) {
	err = byDescriptor(dir, name, func(path string) error {
		conn, err = net.Dial("unix", path)
		return err
	})
	return conn, err
}

// Listen makes a socket in dir.
func Listen(dir, name string) (net.Listener, error) {
	var l *net.UnixListener
	err := byDescriptor(dir, name, func(path string) (err error) {
		l, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // the directory is removed
	return l, nil
}

func byDescriptor(dir, name string, do func(path string) error) error {
	d, err := disk.Open(dir, disk.NoFollow)
	if err != nil {
		return err
	}
	defer d.Close()
	return do(fmt.Sprintf("/proc/self/fd/%d/%s", d.Fd(), name))
}
