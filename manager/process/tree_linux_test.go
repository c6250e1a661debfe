package process

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Of a session: a child, a grandchild in a group of its own, one in a session of its own, and one whose parent has ended.
func TestEndTree(t *testing.T) {
	const script = `sleep 300 & echo $!; setsid sleep 300 & echo $!; (sleep 300 & echo $!); set -m; (sleep 300 & echo $!; wait) & echo $!; echo $$; wait`
	cmd := exec.Command("bash", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	pids := make([]int, 6)
	lines := bufio.NewScanner(out)
	for i := range pids {
		if !lines.Scan() {
			t.Fatalf("the script wrote %d pids", i)
		}
		if _, err := fmt.Sscan(strings.TrimSpace(lines.Text()), &pids[i]); err != nil {
			t.Fatal(err)
		}
	}
	other := exec.Command("sleep", "300")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
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

// Of a process that leads no session all descendants are found, and its own session is left alone.
func TestEndTreeWithoutSession(t *testing.T) {
	cmd := exec.Command("bash", "-c", `bash -c 'setsid bash -c "sleep 300 & echo \$!; echo \$\$; wait"; true'; true`)
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
		if _, _, err := readProcess(pid, nil); err == nil {
			t.Errorf("pid %d is alive", pid)
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the process ends by itself")
	}
}
