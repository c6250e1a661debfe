package session

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/confine"
	"swop/internal/confine/mount"
	"swop/internal/confine/preflight"
	"swop/internal/test/testhome"
	"swop/shim"
)

// TestMain lets this program be the processes of a confined start, and what runs inside.
func TestMain(m *testing.M) {
	if status, ok := confine.RunProcess(os.Args[0], os.Args[1:], os.Environ()); ok {
		os.Exit(status)
	}
	os.Exit(testhome.Suite{Tests: m, Programs: []string{"userns"}}.Run())
}

// prepareConfined returns what supervises a confined session of a home, prepared to run.
func prepareConfined(t *testing.T, h fastHome) *running {
	t.Helper()
	self, err := os.Executable()
	testhome.NoError(t, err)
	testhome.NoError(t, os.Symlink(self, filepath.Join(filepath.Dir(h.shim), "codex-swop")))
	work := filepath.Join(h.home, "project")
	testhome.NoError(t, os.MkdirAll(work, 0o700))
	t.Chdir(work)
	h.confine(t)
	r := &reader{hooks: testHooks}
	r.call = h.call(config.Env{"SWOP_ACCOUNT=work-team", "SWOP_ALLOW_ROOT=1", "PATH=" + h.path + ":/usr/bin:/bin"}, "exec")
	var d shim.Decision
	testhome.NoError(t, r.call.Decide(r, &d))
	s := &running{Decision: &d, call: &r.call, hooks: testHooks, confined: true}
	testhome.NoError(t, s.confine())
	t.Cleanup(s.end)
	return s
}

// inOwnProcess reports whether this process runs nothing but the test, so that it may ignore signals as a supervisor does. Else it runs it
// in one that does.
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

// catchOutput lets what starts from now on write to a file, which it returns: what runs inside has this process's streams.
func catchOutput(t *testing.T) string {
	t.Helper()
	out, err := os.CreateTemp(t.TempDir(), "out")
	testhome.NoError(t, err)
	stdout, err := unix.Dup(1)
	testhome.NoError(t, err)
	testhome.NoError(t, unix.Dup3(int(out.Fd()), 1, 0))
	t.Cleanup(func() { testhome.NoError(t, errors.Join(unix.Dup3(stdout, 1, 0), unix.Close(stdout), out.Close())) })
	return out.Name()
}

// TestCapabilities: what runs in a session has no capability, except what root's own sandboxes need, and cannot get one.
func TestCapabilities(t *testing.T) {
	testhome.Needs(t, "userns")
	if !inOwnProcess(t) {
		return
	}
	file := catchOutput(t)
	s := prepareConfined(t, newFastHome(t))
	child, err := s.start("/bin/sh", []string{"sh", "-c", "cat /proc/self/status; kill -STOP $$; exit 7"}, s.Env)
	testhome.NoError(t, err)
	if status, err := child.Wait(); err != nil || !status.Stopped() {
		t.Fatalf("it ends with %d, %v", status.ExitStatus(), err)
	}
	const ofRoot = 1 << unix.CAP_SETFCAP
	fields := fieldsOf(testhome.TextOf(file))
	for _, key := range []string{"CapInh", "CapPrm", "CapEff", "CapAmb", "CapBnd"} {
		bits, err := strconv.ParseUint(fields[key], 16, 64)
		if testhome.NoError(t, err); os.Geteuid() == 0 {
			bits &^= ofRoot
		}
		if bits != 0 {
			t.Errorf("the program has %s %s", key, fields[key])
		}
	}
	if fields["NoNewPrivs"] != "1" {
		t.Error("the program may get privileges")
	}
	testhome.NoError(t, child.Signal(unix.SIGCONT))
	if status, err := child.Wait(); err != nil || status.ExitStatus() != 7 {
		t.Errorf("it ends with %d, %v, want 7", status.ExitStatus(), err)
	}
}

// TestMiddleKilled: a session ends with the process that mounts for it.
func TestMiddleKilled(t *testing.T) {
	testhome.Needs(t, "userns")
	if !inOwnProcess(t) {
		return
	}
	s := prepareConfined(t, newFastHome(t))
	child, err := s.start("/bin/sh", []string{"sh", "-c", "kill -STOP $$"}, s.Env)
	testhome.NoError(t, err)
	if status, err := child.Wait(); err != nil || !status.Stopped() {
		t.Fatalf("it ends with %d, %v", status.ExitStatus(), err)
	}
	threads, err := filepath.Glob("/proc/[0-9]*/status")
	testhome.NoError(t, err)
	for _, status := range threads {
		text := testhome.TextOf(status)
		if fields := fieldsOf(text); fields["PPid"] == strconv.Itoa(os.Getpid()) &&
			strings.HasPrefix(testhome.TextOf(filepath.Dir(status)+"/cmdline"), mount.Name) {
			pid, err := strconv.Atoi(fields["Pid"])
			testhome.NoError(t, errors.Join(err, unix.Kill(pid, unix.SIGKILL)))
		}
	}
	ended := make(chan error)
	go func() {
		_, err := child.Wait()
		ended <- err
	}()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("it goes on")
		}
	case <-time.After(10 * time.Second):
		t.Error("it does not end")
	}
}

// fieldsOf returns what a status says (proc_pid_status(5)).
func fieldsOf(status string) map[string]string {
	fields := map[string]string{}
	for line := range strings.Lines(status) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":\t")
		fields[key] = value
	}
	return fields
}

// TestSocketVanishes: a socket that was there when the session was prepared, and is gone when it would be covered, stops no session. One
// that cannot be covered for another reason does, and what failed is the reason.
func TestSocketVanishes(t *testing.T) {
	testhome.Needs(t, "userns")
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
	child, err := s.start("/bin/sh", []string{"sh", "-c", "exit 7"}, s.Env)
	testhome.NoError(t, err)
	if status, err := child.Wait(); err != nil || status.ExitStatus() != 7 {
		t.Errorf("it ends with %d, %v, want 7", status.ExitStatus(), err)
	}
	testhome.NoError(t, os.RemoveAll(filepath.Join(h.home, "project"))) // where it runs
	var unavailable *preflight.Unavailable
	if _, err := s.start("/bin/sh", []string{"sh", "-c", "exit 7"}, s.Env); !errors.As(err, &unavailable) || !strings.Contains(err.Error(), "project") {
		t.Errorf("without its working directory it starts, or fails with %v", err)
	}
}
