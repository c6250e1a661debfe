//go:build !linux

package socket

import (
	"net"
	"path/filepath"
)

// Dial connects to a socket in dir.
func Dial(dir, name string) (net.Conn, error) { return net.Dial("unix", filepath.Join(dir, name)) }

// Listen makes a socket in dir.
func Listen(dir, name string) (net.Listener, error) {
	return net.Listen("unix", filepath.Join(dir, name))
}
