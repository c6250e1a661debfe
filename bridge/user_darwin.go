package bridge

import "net"

// userAt knows of no user at the other end of a connection.
func userAt(*net.TCPConn) (uid int, known bool) { return 0, false }
