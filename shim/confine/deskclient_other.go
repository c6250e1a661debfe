//go:build !linux

package confine

import (
	"net"
	"path/filepath"
)

func dialIn(dir, name string) (net.Conn, error) { return net.Dial("unix", filepath.Join(dir, name)) }
