package bridge

import "net"

// hide does nothing: macOS lets only a debugger with an entitlement read the memory of a process.
func hide() error { return nil }

// userAt knows of no user at the other end of a connection.
func userAt(*net.TCPConn) (uid int, known bool) { return 0, false }

// Ports returns the ports of the bridges in these directories.
func Ports(dirs []string) (list []int) {
	for _, dir := range dirs {
		list = append(list, portsIn(dir)...)
	}
	return list
}
