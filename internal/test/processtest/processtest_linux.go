// Package processtest gives tests an account's homes and lock file, and child processes that use them.
package processtest

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"swop/internal/test/testhome"

	"golang.org/x/sys/unix"
)

// Account is an account's homes and its lock file.
type Account struct{ Home, CodexHome, Lock string }

// NewAccount returns an account in a temporary directory.
func NewAccount(t *testing.T) Account {
	t.Helper()
	dir := t.TempDir()
	a := Account{Home: filepath.Join(dir, "home"), CodexHome: filepath.Join(dir, "home", ".codex"), Lock: filepath.Join(dir, "work")}
	testhome.NoError(t, os.MkdirAll(a.CodexHome, 0o700))
	testhome.NoError(t, os.WriteFile(a.Lock, nil, 0o600))
	return a
}

// Env is the test's own environment with the account's homes.
func (a Account) Env() []string {
	return append(os.Environ(), "CODEX_HOME="+a.CodexHome, "HOME="+a.Home)
}

// HoldLock returns the account's lock file, locked as flock(2) is told. The lock lasts as long as any process has this descriptor or
// one inherited from it.
func HoldLock(t *testing.T, a Account, how int) *os.File {
	t.Helper()
	f, err := os.OpenFile(a.Lock, os.O_RDWR, 0)
	testhome.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	testhome.NoError(t, unix.Flock(int(f.Fd()), how))
	return f
}

// Child is a process that a test started. It ends at the latest with the test.
type Child struct {
	*exec.Cmd
	out *bufio.Reader
}

// Start starts cmd and returns when it has written its first line, by which it tells that it is set up. Its standard input is closed
// when the test ends.
func Start(t *testing.T, cmd *exec.Cmd) Child {
	t.Helper()
	in, err := cmd.StdinPipe()
	testhome.NoError(t, err)
	out, err := cmd.StdoutPipe()
	testhome.NoError(t, err)
	cmd.Stderr = os.Stderr
	testhome.NoError(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Process.Kill() // it may be stopped
		_ = cmd.Wait()         // killed or not
	})
	_, err = in.Write([]byte("ready\n"))
	testhome.NoError(t, err)
	c := Child{cmd, bufio.NewReader(out)}
	if line, err := c.out.ReadString('\n'); err != nil {
		t.Fatalf("%v wrote %q: %v", cmd.Args, line, err)
	}
	return c
}

// StartCodex starts cmd's program under the name codex.
func StartCodex(t *testing.T, cmd *exec.Cmd) Child {
	t.Helper()
	cmd.Path = copyAsCodex(t, cmd.Path)
	return Start(t, cmd)
}

// StartHolding starts cmd with a shared lock of the account, which nobody else holds.
func StartHolding(t *testing.T, a Account, cmd *exec.Cmd) Child {
	t.Helper()
	f := HoldLock(t, a, unix.LOCK_SH)
	cmd.ExtraFiles = []*os.File{f}
	c := Start(t, cmd)
	f.Close()
	return c
}

// StartServer starts a copy of program that is called codex and leads its own session, as codex's background server does, with the
// account's homes and these arguments. It inherits lock, unless that is nil.
func StartServer(t *testing.T, a Account, lock *os.File, program string, args ...string) Child {
	t.Helper()
	cmd := exec.Command(copyAsCodex(t, program), args...)
	cmd.Env = a.Env()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if lock != nil {
		cmd.ExtraFiles = []*os.File{lock}
	}
	return Start(t, cmd)
}

// copyAsCodex returns the path of a copy of program, or of a hard link to it, that is called codex.
func copyAsCodex(t *testing.T, program string) string {
	t.Helper()
	program, err := filepath.EvalSymlinks(program)
	testhome.NoError(t, err)
	codex := filepath.Join(t.TempDir(), "codex")
	if os.Link(program, codex) == nil {
		return codex
	}
	data, err := os.ReadFile(program)
	testhome.NoError(t, err)
	testhome.NoError(t, os.WriteFile(codex, data, 0o700))
	return codex
}

// Cat returns a harmless command with this environment.
func Cat(env ...string) *exec.Cmd {
	cmd := exec.Command("/bin/cat")
	cmd.Env = append([]string{"PATH=/usr/bin:/bin"}, env...)
	return cmd
}

// Stop stops the child with SIGSTOP and returns when it is stopped: until then it could still answer, or take another signal first.
func (c Child) Stop(t *testing.T) {
	t.Helper()
	testhome.NoError(t, c.Process.Signal(unix.SIGSTOP))
	c.await(t, unix.WSTOPPED)
}

// Alive reports whether the child has not ended.
func (c Child) Alive(t *testing.T) bool {
	t.Helper()
	return c.await(t, unix.WEXITED|unix.WNOHANG).Signo == 0
}

// await returns what waitid(2) says of the child's next event of these, and does not take the event from it.
func (c Child) await(t *testing.T, events int) unix.Siginfo {
	t.Helper()
	var info unix.Siginfo
	err := error(unix.EINTR)
	for errors.Is(err, unix.EINTR) {
		err = unix.Waitid(unix.P_PID, c.Process.Pid, &info, events|unix.WNOWAIT, nil)
	}
	testhome.NoError(t, err)
	return info
}
