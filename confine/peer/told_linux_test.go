package peer

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"swop/internal/testhome"
)

// tell says its pid, of which the first process of a session has 1.
func tell(dir string) error {
	conn, err := net.Dial("unix", filepath.Join(dir, "told"))
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = fmt.Fprint(conn, os.Getpid())
	return err
}

// TestTold: what a program of the session says is served with that program's stderr, also where a program outside has connected before.
func TestTold(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "told")
	l, err := net.Listen("unix", path)
	testhome.NoError(t, err)
	if out, err := (session{}).run(t, "tell", self(t), dir); err != nil {
		t.Fatalf("outside: %v, %s", err, out)
	}
	told := Told{Listener: l, Path: path, Serve: func(conn, stderr *os.File) {
		defer conn.Close()
		defer stderr.Close()
		text, err := io.ReadAll(conn)
		_, _ = fmt.Fprintf(stderr, "heard %s, %v", text, err) // or the test sees nothing
	}}
	out, err := session{confined: true, told: &told}.run(t, "tell", self(t), dir)
	if want := "heard 1, <nil>"; out != want || err != nil {
		t.Errorf("the session prints %q, %v, want %q", out, err, want)
	}
}
