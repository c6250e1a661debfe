//go:build !linux

package desk

import (
	"net"
	"path/filepath"
)

func dialIn(dir, name string) (net.Conn, error) { return net.Dial("unix", filepath.Join(dir, name)) }

// Listen makes a socket in dir.
func Listen(dir, name string) (net.Listener, error) {
	return net.Listen("unix", filepath.Join(dir, name))
}
