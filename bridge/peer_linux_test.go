package bridge

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"swop/internal/testhome"
)

// TestAnotherUser: who is another user gets no answer, also where the modes of the directory allow it. Only root can try that.
func TestAnotherUser(t *testing.T) {
	if socket := os.Getenv("SWOP_TEST_SOCKET"); socket != "" {
		conn, err := net.Dial("unix", socket)
		testhome.NoError(t, err)
		_, _ = conn.Write([]byte("GET /a HTTP/1.1\r\nHost: tracker\r\n\r\n")) // it may be closed already
		if n, err := conn.Read(make([]byte, 1)); n != 0 {
			t.Errorf("there is an answer: %d, %v", n, err)
		}
		if state, err := StateOf(filepath.Dir(socket)); err == nil {
			t.Errorf("the state is told: %+v", state)
		}
		return
	}
	if os.Geteuid() != 0 {
		return
	}
	up := newService(t, nil)
	s := open(t, nil, tracker(t, up.URL, "GET /**"))
	socket := s.place.socket("tracker")
	testhome.NoError(t, os.Chmod(s.place.socket(controlName), 0o777))
	for dir := socket; dir != filepath.Clean(os.TempDir()); dir = filepath.Dir(dir) {
		testhome.NoError(t, os.Chmod(dir, 0o777))
	}
	for uid, status := range map[uint32]int{0: 1, 65534: 0} {
		self, err := os.ReadFile("/proc/self/exe")
		testhome.NoError(t, err)
		program := filepath.Join(s.options.Home, "test")
		_ = os.Remove(program) // of the other round
		testhome.NoError(t, os.WriteFile(program, self, 0o755))
		cmd := exec.Command(program, "-test.run", "^TestAnotherUser$")
		cmd.Env = []string{"SWOP_TEST_SOCKET=" + socket, "TMPDIR=/tmp"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		cmd.Dir = "/"
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != status {
			t.Errorf("user %d: %v\n%s", uid, cmd.ProcessState, out)
		}
		if seen := up.requests(); (len(seen) == 1) != (uid == 0) {
			t.Errorf("user %d: upstream sees %d requests", uid, len(seen))
		}
	}
}
