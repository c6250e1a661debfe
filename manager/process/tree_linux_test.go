package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Of a session: a child, a grandchild in a group of its own, one in a session of its own, and one whose parent has ended.
func TestEndTree(t *testing.T) {
	const script = `sleep 300 & echo $!; setsid sleep 300 & echo $!; (sleep 300 & echo $!); set -m; (sleep 300 & echo $!; wait) & echo $!; echo $$; wait`
	cmd, pids := startTree(t, script)
	other := exec.Command("/bin/sleep", "300")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Wait() }()
	defer func() { _ = other.Process.Kill() }()
	if err := EndTree(context.Background(), cmd.Process.Pid); err != nil {
		t.Fatalf("EndTree: %v", err)
	}
	for _, pid := range pids {
		if _, _, err := ReadProcess(pid, nil); err == nil {
			t.Errorf("pid %d of %v is alive", pid, pids)
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("the leader ends with %v, want SIGKILL", err)
	}
	if _, _, err := ReadProcess(other.Process.Pid, nil); err != nil {
		t.Errorf("a process outside of the tree: %v, want it alive", err)
	}
	if err := EndTree(context.Background(), cmd.Process.Pid); err != nil {
		t.Errorf("EndTree of what is gone: %v", err)
	}
}

// Of a process that leads no session all descendants are found, and its own session is left alone.
func TestEndTreeWithoutSession(t *testing.T) {
	cmd := exec.Command("bash", "-c", `PATH=/usr/bin:/bin; bash -c 'setsid bash -c "sleep 300 & echo \$!; echo \$\$; wait"; true'; true`)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var child, parent int
	if _, err := fmt.Fscan(out, &child, &parent); err != nil {
		t.Fatal(err)
	}
	if err := EndTree(context.Background(), cmd.Process.Pid); err != nil {
		t.Fatalf("EndTree: %v", err)
	}
	for _, pid := range []int{child, parent} {
		if _, _, err := ReadProcess(pid, nil); err == nil {
			t.Errorf("pid %d is alive", pid)
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the process ends by itself")
	}
}

// Where there are not descriptors enough to hold every process, that is said, and none is left stopped.
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
	if refused < 6 {
		t.Errorf("EndTree did without %d descriptors", refused)
	}
}

// startTree starts a bash script as a session of its own. It writes the pids of six processes.
func startTree(t *testing.T, script string) (cmd *exec.Cmd, pids []int) {
	t.Helper()
	cmd = exec.Command("bash", "-c", "PATH=/usr/bin:/bin; "+script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	pids = make([]int, 6)
	for i := range pids {
		if _, err := fmt.Fscan(out, &pids[i]); err != nil {
			t.Fatal(err)
		}
	}
	return cmd, pids
}

// endTreeWith ends a tree of seven processes with so many more descriptors, and fails the test where it says that it did and did not, or
// leaves any stopped.
func endTreeWith(t *testing.T, more int) error {
	cmd, pids := startTree(t, `for i in 1 2 3 4 5 6; do sleep 300 & echo $!; done; wait`)
	ended := withDescriptors(t, more, func() error { return EndTree(context.Background(), cmd.Process.Pid) })
	for _, pid := range pids {
		stat, err := readProc(procDir(pid)+"/stat", nil)
		if err == nil && strings.Contains(string(stat), ") T ") && !ends(t, pid) {
			t.Errorf("with %d descriptors pid %d is left stopped", more, pid)
		}
		if _, _, err := ReadProcess(pid, nil); err == nil && ended == nil {
			t.Errorf("with %d descriptors pid %d is alive, and nothing is said", more, pid)
		}
	}
	if err := EndTree(context.Background(), cmd.Process.Pid); err != nil {
		t.Errorf("EndTree with descriptors: %v", err)
	}
	_ = cmd.Wait()
	return ended
}

// ends waits for the end of a process that may have been killed.
func ends(t *testing.T, pid int) bool {
	h, err := OpenProcess(pid)
	if errors.Is(err, unix.ESRCH) {
		return true
	}
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	gone, err := h.Wait(context.Background(), Process{PID: pid}, killWait)
	return gone && err == nil
}

// withDescriptors runs f while only so many more files can be opened.
func withDescriptors(t *testing.T, more int, f func() error) error {
	t.Helper()
	var limit syscall.Rlimit
	next, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = errors.Join(unix.Close(next), syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	}
	if err != nil {
		t.Fatal(err)
	}
	few := limit
	few.Cur = uint64(next + more)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Error(err)
		}
	}()
	return f()
}
