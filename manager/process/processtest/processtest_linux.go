package processtest

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// HoldLock returns the account's lock file, locked. The lock lasts while anyone has this descriptor, or one inherited from it.
func HoldLock(t *testing.T, a TestAccount, how int) *os.File {
	t.Helper()
	f, err := os.OpenFile(a.Lock, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := unix.Flock(int(f.Fd()), how); err != nil {
		t.Fatal(err)
	}
	return f
}

// Holding makes cmd inherit a shared lock of the account, and leaves the lock to it.
func Holding(t *testing.T, a TestAccount, cmd *exec.Cmd) Child {
	t.Helper()
	f := HoldLock(t, a, unix.LOCK_SH)
	cmd.ExtraFiles = []*os.File{f}
	c := StartChild(t, cmd)
	f.Close()
	return c
}

// WaitFor waits until the child has ended (WEXITED) or is stopped (WSTOPPED), and leaves it as it is.
func WaitFor(t *testing.T, c Child, event int) {
	t.Helper()
	err := error(unix.EINTR)
	for errors.Is(err, unix.EINTR) {
		var info unix.Siginfo
		err = unix.Waitid(unix.P_PID, c.Process.Pid, &info, event|unix.WNOWAIT, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestAccount is an account's homes and its lock file.
type TestAccount struct{ Home, CodexHome, Lock string }

func NewTestAccount(t *testing.T) TestAccount {
	t.Helper()
	dir := t.TempDir()
	a := TestAccount{Home: filepath.Join(dir, "home"), CodexHome: filepath.Join(dir, "home", ".codex"), Lock: filepath.Join(dir, "work")}
	if err := os.MkdirAll(a.CodexHome, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a.Lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// Child is a process of a test. It ends by itself when the test does, for then its standard input does.
type Child struct {
	*exec.Cmd
	out *bufio.Reader
}

// StartChild starts cmd and returns when it wrote its first line, the event that it is what the test wants it to be.
func StartChild(t *testing.T, cmd *exec.Cmd) Child {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Process.Kill() // it may be stopped
		_ = cmd.Wait()         // killed or not
	})
	if _, err := in.Write([]byte("ready\n")); err != nil {
		t.Fatal(err)
	}
	c := Child{cmd, bufio.NewReader(out)}
	if line, err := c.out.ReadString('\n'); err != nil {
		t.Fatalf("%v said %q: %v", cmd.Args, line, err)
	}
	return c
}

// CatWith is a harmless command in an environment.
func CatWith(env ...string) *exec.Cmd {
	cmd := exec.Command("/bin/cat")
	cmd.Env = append([]string{"PATH=/usr/bin:/bin"}, env...)
	return cmd
}

func (a TestAccount) Env() []string {
	return append(os.Environ(), "CODEX_HOME="+a.CodexHome, "HOME="+a.Home)
}
