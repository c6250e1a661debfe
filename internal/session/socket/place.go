package socket

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
)

// Listen makes a socket in dir, whose entries their owner removes.
func Listen(dir, name string) (net.Listener, error) {
	path, done, err := short(dir, name)
	if err != nil {
		return nil, err
	}
	defer done()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	return l, nil
}

// short returns a path of the socket in dir. On Linux it leads by way of the directory's descriptor: it has 108 bytes at most (unix(7)).
func short(dir, name string) (path string, done func(), err error) {
	if runtime.GOOS != "linux" {
		return filepath.Join(dir, name), func() {}, nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", d.Fd(), name), func() { _ = d.Close() }, nil
}
