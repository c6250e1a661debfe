package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"swop/manager/process/processtest"
)

func TestInUseByNobody(t *testing.T) {
	a := processtest.NewTestAccount(t)
	processtest.StartChild(t, processtest.CatWith("HOME="+t.TempDir(), "CODEX_HOME="+t.TempDir()))
	processtest.StartChild(t, processtest.CatWith("CODEX_HOME=", "HOME=", "SWOP_ACCOUNT=work"))
	wantUse(t, a)
}

func TestInUseByEnvironment(t *testing.T) {
	a := processtest.NewTestAccount(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(a.CodexHome, link); err != nil {
		t.Fatal(err)
	}
	session := processtest.StartChild(t, processtest.CatWith("CODEX_HOME="+a.CodexHome, "HOME="+a.Home))
	linked := processtest.StartChild(t, processtest.CatWith("CODEX_HOME="+link+"/."))
	homeOnly := processtest.StartChild(t, processtest.CatWith("HOME="+a.Home)) // shell_environment_policy.inherit = "core" takes CODEX_HOME away
	relative := processtest.CatWith("CODEX_HOME=.codex")
	relative.Dir = a.Home
	wantUse(t, a, session.Process.Pid, linked.Process.Pid, homeOnly.Process.Pid, processtest.StartChild(t, relative).Process.Pid)
}

func TestInUseEndsWithTheProcess(t *testing.T) {
	a := processtest.NewTestAccount(t)
	c := processtest.StartChild(t, processtest.CatWith("CODEX_HOME="+a.CodexHome))
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Fatal("the child was not killed")
	}
	wantUse(t, a)
}

func TestInUseByLockAlone(t *testing.T) {
	a := processtest.NewTestAccount(t)
	c := processtest.Holding(t, a, processtest.CatWith())
	wantUse(t, a, c.Process.Pid)
}

// What a daemon of a session looks like: its own session, another parent, nothing of the account but the lock.
func TestInUseByOrphan(t *testing.T) {
	a := processtest.NewTestAccount(t)
	cmd := exec.Command("/usr/bin/setsid", "--fork", "/usr/bin/env", "-i", "cat")
	c := processtest.Holding(t, a, cmd)
	processtest.WaitFor(t, c, unix.WEXITED) // the cat may be there before its parent is gone
	use := mustUse(t, a)
	if len(use.Processes) != 1 || use.Processes[0].Command != "cat" || use.Processes[0].PID == c.Process.Pid {
		t.Errorf("InUse = %v, want the cat alone", use.Processes)
	}
}

func TestInUseNotByOwnLock(t *testing.T) {
	for _, how := range []int{unix.LOCK_SH, unix.LOCK_EX} {
		a := processtest.NewTestAccount(t)
		processtest.HoldLock(t, a, how)
		wantUse(t, a)
	}
}

func TestInUseByUnseenHolder(t *testing.T) {
	a := processtest.NewTestAccount(t)
	processtest.HoldLock(t, a, unix.LOCK_SH)
	probe, err := probeLock(a.Lock)
	if err != nil || !probe.held {
		t.Fatalf("probeLock = %+v, %v, want it held", probe, err)
	}
	use := ProcessTable{}.use(probe) // a table without the holder, as in another pid namespace
	if !use.Unseen || !use.Any() {
		t.Errorf("use = %+v, want it unseen", use)
	}
}

func TestInUseWithoutFiles(t *testing.T) {
	a := processtest.NewTestAccount(t)
	if err := os.Remove(a.Lock); err != nil {
		t.Fatal(err)
	}
	wantUse(t, a)
	if _, err := os.Stat(a.Lock); !os.IsNotExist(err) {
		t.Errorf("the lock file came into being: %v", err)
	}
	if err := os.RemoveAll(a.Home); err != nil {
		t.Fatal(err)
	}
	c := processtest.StartChild(t, processtest.CatWith("CODEX_HOME="+a.CodexHome))
	wantUse(t, a, c.Process.Pid)
}

// The lock is only tried: whoever waits for it gets it, and what is held stays held.
func TestProbeLockLeavesNothing(t *testing.T) {
	a := processtest.NewTestAccount(t)
	for range 2 {
		if probe, err := probeLock(a.Lock); err != nil || probe.held || probe.unsupported {
			t.Fatalf("probeLock = %+v, %v, want a free lock", probe, err)
		}
	}
	processtest.HoldLock(t, a, unix.LOCK_EX)
}

// It is free at once, though a child that was forked meanwhile, and has not yet called execve, keeps the descriptor.
func TestProbeLockOfOneWhoForks(t *testing.T) {
	a := processtest.NewTestAccount(t)
	f, err := os.Open(a.Lock)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var probe lockProbe
	if err := probe.try(f); err != nil || probe.held {
		t.Fatalf("try = %+v, %v, want a free lock", probe, err)
	}
	processtest.HoldLock(t, a, unix.LOCK_EX|unix.LOCK_NB)
}

// A holder that came after the survey is found all the same: the lock says that there is one.
func TestSurveyBeforeTheHolder(t *testing.T) {
	a := processtest.NewTestAccount(t)
	survey, err := TakeSurvey()
	if err != nil {
		t.Fatal(err)
	}
	c := processtest.Holding(t, a, processtest.CatWith())
	use, err := survey.InUse(a.CodexHome, a.Lock)
	if err != nil || !slices.Equal(pids(use.Processes), []int{c.Process.Pid}) {
		t.Errorf("InUse of an older survey = %+v, %v, want the process %d", use, err, c.Process.Pid)
	}
}

// A zombie has no environment left and uses nothing.
func TestInUseNotByZombie(t *testing.T) {
	a := processtest.NewTestAccount(t)
	c := processtest.StartChild(t, processtest.CatWith("CODEX_HOME="+a.CodexHome))
	if err := c.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	processtest.WaitFor(t, c, unix.WEXITED)
	wantUse(t, a)
}

// A process that is just replacing its program, which hides its environment for a moment, is seen all the same.
func TestInUseAmidExec(t *testing.T) {
	a := processtest.NewTestAccount(t)
	script := filepath.Join(t.TempDir(), "again")
	if err := os.WriteFile(script, []byte("[ -n \"$1\" ] || echo\nexec sh \"$0\" again\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", script)
	cmd.Args[0] = "sh"
	cmd.Env = []string{"PATH=/usr/bin:/bin", "CODEX_HOME=" + a.CodexHome}
	c := processtest.StartChild(t, cmd)
	for n := range 200 {
		use := mustUse(t, a)
		if !slices.Equal(pids(use.Processes), []int{c.Process.Pid}) {
			t.Fatalf("InUse, look %d, = %v, want the process %d, which calls execve all the time", n, use.Processes, c.Process.Pid)
		}
		if args := use.Processes[0].args; len(args) < 2 || args[0] != "sh" {
			t.Fatalf("at look %d its arguments are %q", n, args)
		}
	}
}

// TestInUsePassing: the shells that take a snapshot for codex pass; beside anything else they do not.
func TestInUsePassing(t *testing.T) {
	a := processtest.NewTestAccount(t)
	if mustUse(t, a).Passing() {
		t.Error("an account that is not in use is in passing use")
	}
	snapshot := func(env string) {
		cmd := exec.Command("/bin/sh", "-c", "echo '# Snapshot file'\nx=$(cat)\n")
		cmd.Env = []string{"PATH=/usr/bin:/bin", env}
		processtest.StartChild(t, cmd)
	}
	snapshot("CODEX_HOME=" + t.TempDir())
	snapshot("HOME=" + a.Home)
	snapshot("CODEX_HOME=" + a.CodexHome)
	if use := mustUse(t, a); !use.Passing() || !use.Any() {
		t.Errorf("used by %v, passing %v, want snapshots alone", use.Processes, use.Passing())
	}
	processtest.StartChild(t, processtest.CatWith("CODEX_HOME="+a.CodexHome))
	if use := mustUse(t, a); use.Passing() {
		t.Errorf("used by %v, and said to pass", use.Processes)
	}
}
