package bridge

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// hide keeps other programs of this user from reading the memory and the environment of this process.
func hide() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// userAt returns the user at the other end of a connection on loopback, by the tables of proc(5), which have a line for each end.
func userAt(conn *net.TCPConn) (uid int, known bool) {
	ours, near := conn.LocalAddr().(*net.TCPAddr)
	theirs, far := conn.RemoteAddr().(*net.TCPAddr)
	if !near || !far {
		return 0, false
	}
	from, to := fmt.Sprintf("0100007F:%04X", theirs.Port), fmt.Sprintf("0100007F:%04X", ours.Port)
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} { // the second has IPv4 addresses too, behind zeros
		text, _ := os.ReadFile(table) // without it nothing is known
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 7 && strings.HasSuffix(f[1], from) && strings.HasSuffix(f[2], to) {
				uid, err := strconv.Atoi(f[7])
				return uid, err == nil
			}
		}
	}
	return 0, false
}
