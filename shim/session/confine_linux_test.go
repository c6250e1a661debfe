package session

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/testhome"
	"swop/shim"
	"swop/shim/confine"
)

// prepareConfined returns what supervises a confined session of a home, prepared to run.
func prepareConfined(t *testing.T, h fastHome) *Supervised {
	t.Helper()
	self, err := os.Executable()
	testhome.NoError(t, err)
	testhome.NoError(t, os.Symlink(self, filepath.Join(filepath.Dir(h.shim), "codex-swop")))
	work := filepath.Join(h.home, "project")
	testhome.NoError(t, os.MkdirAll(work, 0o700))
	t.Chdir(work)
	r := &reader{hooks: testHooks}
	r.call = h.call(config.Env{"SWOP_ACCOUNT=work-team", "SWOP_CONFINE=workspace-write", "PATH=" + h.path + ":/usr/bin:/bin"}, "exec")
	var d shim.Decision
	testhome.NoError(t, r.call.Decide(r, &d))
	s := &Supervised{Decision: &d}
	end, err := r.confine(s)
	testhome.NoError(t, err)
	t.Cleanup(func() { testhome.NoError(t, end()) })
	return s
}

// inOwnProcess reports whether this process runs nothing but the test, so that it may ignore signals as a supervisor does. Else it runs it in
// one that does.
func inOwnProcess(t *testing.T) bool {
	t.Helper()
	if os.Getenv("ALONE") != "" {
		runtime.LockOSThread() // see Start
		return true
	}
	self, err := os.Executable()
	testhome.NoError(t, err)
	cmd := exec.Command(self, "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "ALONE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// TestSocketVanishes: a socket that was there when the session was prepared, and is gone when bubblewrap covers it, stops no session. One that
// cannot be covered for another reason does, and what bubblewrap says is the reason.
func TestSocketVanishes(t *testing.T) {
	testhome.Needs(t, "bwrap")
	if !inOwnProcess(t) {
		return
	}
	h := newFastHome(t)
	socket := filepath.Join(h.home, "s", "agent.sock")
	testhome.NoError(t, os.Mkdir(filepath.Dir(socket), 0o700))
	l, err := net.Listen("unix", socket)
	testhome.NoError(t, err)
	s := prepareConfined(t, h)
	testhome.NoError(t, errors.Join(l.Close(), os.Remove(filepath.Dir(socket))))
	child, err := startConfined(s.confined, "", "/bin/sh", []string{"sh", "-c", "exit 7"}, s.Env)
	testhome.NoError(t, err)
	if status, err := child.Wait(); err != nil || status.ExitStatus() != 7 {
		t.Errorf("it ends with %d, %v, want 7", status.ExitStatus(), err)
	}
	testhome.NoError(t, os.RemoveAll(filepath.Join(h.home, "project"))) // where it runs
	var unavailable *confine.Unavailable
	if _, err := startConfined(s.confined, "", "/bin/sh", []string{"sh", "-c", "exit 7"}, s.Env); !errors.As(err, &unavailable) || !strings.Contains(err.Error(), "project") {
		t.Errorf("without its working directory it starts, or fails with %v", err)
	}
}
