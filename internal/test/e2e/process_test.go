//go:build linux

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"swop/internal/test/testhome"
)

// reap ends every process of the user whose home this is: codex's background server and its updater outlive the TUI
// that started them. It waits until they are gone, so that the home can be removed.
func reap(t *testing.T, home string) {
	t.Helper()
	gone := eventually(t, "no process of the test", func() bool {
		left := processes(t, home)
		for _, pid := range left {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
				t.Errorf("kill %d: %v", pid, err)
			}
		}
		return len(left) == 0
	})
	if gone {
		removeSockets(t, home)
	}
}

// processes returns the processes that have a path below home in their environment.
func processes(t *testing.T, home string) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(files) == 0 {
		t.Fatalf("no process list in /proc: %v", err)
	}
	var pids []int
	for _, f := range files {
		if !bytes.Contains(environment(f), []byte(home)) {
			continue // gone, or someone else's
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		testhome.NoError(t, err)
		pids = append(pids, pid)
	}
	return pids
}

// environment reads a file /proc/<pid>/environ; it is empty where we may not read it. During execve(2) the kernel shows none
// for a moment, and says in stat that there is memory but no program in it yet (proc_pid_stat(5)): environment waits for that to end.
func environment(file string) []byte {
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(time.Millisecond) {
		env, err := os.ReadFile(file)
		if err != nil || len(env) > 0 {
			return env
		}
		stat, err := os.ReadFile(filepath.Join(filepath.Dir(file), "stat"))
		f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		// of the memory, and where the program and its environment lie there; counted from the state
		const size, code, start, end = 20, 23, 47, 48
		if err != nil || len(f) <= end || f[size] == "0" || f[code] != "0" && f[start] == f[end] {
			return nil
		}
	}
	return nil
}

// removeSockets removes what a killed server leaves outside its home: the sockets that its links lead to.
func removeSockets(t *testing.T, home string) {
	t.Helper()
	for _, pattern := range []string{".codex/app-server-*/*.sock", ".swop/accounts/*/home/.codex/app-server-*/*.sock"} {
		links, err := filepath.Glob(filepath.Join(home, pattern))
		testhome.NoError(t, err)
		for _, link := range links {
			socket, err := os.Readlink(link)
			if err != nil || !strings.HasPrefix(filepath.Base(filepath.Dir(socket)), "codex-daemon-") {
				continue
			}
			for _, name := range []string{socket, socket + ".lock"} {
				testhome.NoError(t, ignoreMissing(os.Remove(name)))
			}
		}
	}
}

// eventually waits until ok is true, and reports an error if it never is.
func eventually(t *testing.T, what string, ok func() bool) bool {
	t.Helper()
	return within(t, patience, what, ok)
}

func within(t *testing.T, limit time.Duration, what string, ok func() bool) bool {
	t.Helper()
	look := time.NewTicker(100 * time.Millisecond) // a look at a terminal is a process
	defer look.Stop()
	deadline := time.After(limit)
	for !ok() {
		select {
		case <-look.C:
		case <-deadline:
			t.Errorf("waited %v for: %s", limit, what)
			return false
		}
	}
	return true
}
