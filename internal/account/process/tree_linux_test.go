package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"swop/internal/test/testhome"

	"golang.org/x/sys/unix"
)

// The tree of a session leader has a child, a grandchild in another group, one in another session, and one whose parent has ended.
func TestEndTree(t *testing.T) {
	const script = `sleep 300 & echo $!; setsid sleep 300 & echo $!; (sleep 300 & echo $!); set -m; (sleep 300 & echo $!; wait) & echo $!; echo $$; wait`
	cmd, pids := startTree(t, script)
	other := exec.Command("/bin/sleep", "300")
	testhome.NoError(t, other.Start())
	defer func() { _ = other.Wait() }()
	defer func() { _ = other.Process.Kill() }()
	if err := EndTree(context.Background(), cmd.Process.Pid); err != nil {
		t.Fatalf("EndTree: %v", err)
	}
	for _, pid := range pids {
		if _, _, err := readProcess(pid, nil); err == nil {
			t.Errorf("pid %d of %v is alive", pid, pids)
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("the leader ends with %v, want SIGKILL", err)
	}
	if _, _, err := readProcess(other.Process.Pid, nil); err != nil {
		t.Errorf("a process outside of the tree: %v, want it alive", err)
	}
	if err := EndTree(context.Background(), cmd.Process.Pid); err != nil {
		t.Errorf("EndTree of what is gone: %v", err)
	}
}

// Of a process that leads no session all descendants are found; the session that it is in is left alone.
func TestEndTreeWithoutSession(t *testing.T) {
	cmd := exec.Command("bash", "-c", `PATH=/usr/bin:/bin; bash -c 'setsid bash -c "sleep 300 & echo \$!; echo \$\$; wait"; true'; true`)
	out, err := cmd.StdoutPipe()
	testhome.NoError(t, err)
	testhome.NoError(t, cmd.Start())
	var child, parent int
	_, err = fmt.Fscan(out, &child, &parent)
	testhome.NoError(t, err)
	if err := EndTree(context.Background(), cmd.Process.Pid); err != nil {
		t.Fatalf("EndTree: %v", err)
	}
	for _, pid := range []int{child, parent} {
		if _, _, err := readProcess(pid, nil); err == nil {
			t.Errorf("pid %d is alive", pid)
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the process was not killed")
	}
}

// With too few descriptors to look at every process EndTree returns an error, and leaves no process stopped.
func TestEndTreeWithoutDescriptors(t *testing.T) {
	refused := 0
	for more := range 16 {
		err := endTreeWith(t, more)
		if err == nil {
			break
		}
		if refused++; !errors.Is(err, unix.EMFILE) {
			t.Errorf("EndTree with %d descriptors: %v, want %v", more, err, unix.EMFILE)
		}
	}
	if refused == 0 {
		t.Error("EndTree never failed")
	}
}

// startTree starts a bash script in a new session, which writes the pids of six processes.
func startTree(t *testing.T, script string) (cmd *exec.Cmd, pids []int) {
	t.Helper()
	cmd = exec.Command("bash", "-c", "PATH=/usr/bin:/bin; "+script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	testhome.NoError(t, err)
	testhome.NoError(t, cmd.Start())
	pids = make([]int, 6)
	for i := range pids {
		_, err := fmt.Fscan(out, &pids[i])
		testhome.NoError(t, err)
	}
	return cmd, pids
}

// endTreeWith ends a tree of seven processes with that many more descriptors. The test fails if EndTree leaves a process alive without
// an error, or leaves one stopped.
func endTreeWith(t *testing.T, more int) error {
	cmd, pids := startTree(t, `for i in 1 2 3 4 5 6; do sleep 300 & echo $!; done; wait`)
	ended := withDescriptors(t, more, func() error { return EndTree(context.Background(), cmd.Process.Pid) })
	for _, pid := range pids {
		stat, err := readProc(procDir(pid)+"/stat", nil)
		if err == nil && strings.Contains(string(stat), ") T ") && !ends(t, pid) {
			t.Errorf("with %d descriptors pid %d is left stopped", more, pid)
		}
		if _, _, err := readProcess(pid, nil); err == nil && ended == nil {
			t.Errorf("with %d descriptors pid %d is alive, and EndTree returned no error", more, pid)
		}
	}
	if err := EndTree(context.Background(), cmd.Process.Pid); err != nil {
		t.Errorf("EndTree with descriptors: %v", err)
	}
	_ = cmd.Wait()
	return ended
}

// ends waits for a process that may have been killed, and reports whether it ended.
func ends(t *testing.T, pid int) bool {
	p, _, err := readProcess(pid, nil)
	if err != nil {
		return true
	}
	ended, err := p.Wait(context.Background(), killWait)
	return ended && err == nil
}

// withDescriptors runs f while only that many more files can be opened.
func withDescriptors(t *testing.T, more int, f func() error) error {
	t.Helper()
	var limit syscall.Rlimit
	next, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 0)
	testhome.NoError(t, err)
	testhome.NoError(t, errors.Join(unix.Close(next), syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)))
	few := limit
	few.Cur = uint64(next + more)
	testhome.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few))
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Error(err)
		}
	}()
	return f()
}
