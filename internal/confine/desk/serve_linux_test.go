package desk

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"swop/internal/session/socket"
	"swop/internal/test/testhome"
)

// TestLingers passes a socket whose end waits for a program inside: no thread does with it.
func TestLingers(t *testing.T) {
	var d Desk
	dir, ended := t.TempDir(), make(chan bool)
	testhome.NoError(t, d.Open(dir, dir, Desks{}))
	l, err := net.ListenTCP("tcp4", nil)
	testhome.NoError(t, err)
	defer l.Close()
	defer d.Sockets.Close()
	go func() {
		conn, _ := net.DialTCP("tcp4", nil, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: l.Addr().(*net.TCPAddr).Port})
		_, _ = conn.SetLinger(1000), conn.SetWriteDeadline(time.Now().Add(time.Second/10))
		_, _ = conn.Write(make([]byte, 64<<20)) // more than there is room for
		file, _ := conn.File()
		ask, _ := net.DialUnix("unix", nil, &net.UnixAddr{Name: filepath.Join(dir, askSocket), Net: "unix"})
		_, _, _ = socket.Pass(ask, int(file.Fd())), file.Close(), conn.Close()
		_, _ = ask.Read(make([]byte, 1)) // the end
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("a thread waits")
	}
}
