package bridge

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"swop/internal/test/testhome"
)

// TestAnotherUser: who is another user gets no answer, not even with the stand-in of a session.
// Only root can try that.
func TestAnotherUser(t *testing.T) {
	if address := os.Getenv("SWOP_TEST_ADDRESS"); address != "" {
		network, at, _ := strings.Cut(address, " ")
		conn, err := net.Dial(network, at)
		testhome.NoError(t, err)
		_, _ = conn.Write([]byte(os.Getenv("SWOP_TEST_REQUEST"))) // it may be closed already
		if n, err := conn.Read(make([]byte, 1)); n != 0 {
			t.Errorf("there is an answer: %d, %v", n, err)
		}
		return
	}
	if os.Geteuid() != 0 {
		return
	}
	up := newService(t, nil)
	own := openChatGPT(t, up.URL, nil)
	at := fmt.Sprintf("127.0.0.1:%d", own.login.ports[0])
	onlyRoot(t, up, "tcp4 "+at, fmt.Sprintf("GET /backend-api/codex/models HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", at, own.login.proof))
}

// onlyRoot lets root and another user send a request to an address, and wants that only root's is answered.
func onlyRoot(t *testing.T, up *service, address, request string) {
	t.Helper()
	self, err := os.ReadFile("/proc/self/exe")
	testhome.NoError(t, err)
	for uid, status := range map[uint32]int{0: 1, 65534: 0} {
		dir, err := os.MkdirTemp("", "swop-user-")
		testhome.NoError(t, err)
		defer os.RemoveAll(dir)
		testhome.NoError(t, os.Chmod(dir, 0o755))
		program := filepath.Join(dir, "test")
		testhome.NoError(t, os.WriteFile(program, self, 0o755))
		cmd := exec.Command(program, "-test.run", "^TestAnotherUser$")
		cmd.Env = []string{"SWOP_TEST_ADDRESS=" + address, "SWOP_TEST_REQUEST=" + request, "TMPDIR=/tmp"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		cmd.Dir = "/"
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != status {
			t.Errorf("%s, user %d: %v\n%s", address, uid, cmd.ProcessState, out)
		}
		if seen := up.requests(); (len(seen) == 1) != (uid == 0) {
			t.Errorf("%s, user %d: upstream sees %d requests", address, uid, len(seen))
		}
	}
}
