//go:build unix

package bridge

import (
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"swop/internal/session/socket"
)

// A confined session may have a network of its own, without the ports of the bridges. So a way with a port also listens on a socket that is
// named for the port, and a process inside passes connections on.

// portSocket returns the name of the socket for a port. No bridge can have such a name.
func portSocket(port int) string { return "." + strconv.Itoa(port) }

// portsIn returns the ports of the bridges of the session with this directory.
func portsIn(dir string) (ports []int) {
	sockets, _ := filepath.Glob(filepath.Join(dir, ".[0-9]*.sock")) // a good pattern, unless the directory is a bad one
	for _, path := range sockets {
		if port, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(path)[1:], ".sock")); err == nil {
			ports = append(ports, port)
		}
	}
	return ports
}

// ForwardInside passes connections to the bridges' ports on to their sockets, which lie in dir, the session's directory, until the process
// ends. If a port is taken, the network is the one outside, and the port works.
func ForwardInside(dir string) {
	for _, port := range portsIn(dir) {
		if l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}); err == nil {
			go socket.ForwardTo(l, "unix", directory{dir: dir}.socket(portSocket(port)))
		}
	}
}
