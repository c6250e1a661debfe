package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"swop/account/process/processtest"
)

func TestInUseByNobody(t *testing.T) {
	a := processtest.NewAccount(t)
	processtest.Start(t, processtest.Cat("HOME="+t.TempDir(), "CODEX_HOME="+t.TempDir()))
	processtest.Start(t, processtest.Cat("CODEX_HOME=", "HOME=", "SWOP_ACCOUNT=work"))
	wantUse(t, a)
}

func TestInUseByEnvironment(t *testing.T) {
	a := processtest.NewAccount(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(a.CodexHome, link); err != nil {
		t.Fatal(err)
	}
	session := processtest.Start(t, processtest.Cat("CODEX_HOME="+a.CodexHome, "HOME="+a.Home))
	linked := processtest.Start(t, processtest.Cat("CODEX_HOME="+link+"/."))
	homeOnly := processtest.Start(t, processtest.Cat("HOME="+a.Home)) // shell_environment_policy.inherit = "core" removes CODEX_HOME
	relative := processtest.Cat("CODEX_HOME=.codex")
	relative.Dir = a.Home
	wantUse(t, a, session.Process.Pid, linked.Process.Pid, homeOnly.Process.Pid, processtest.Start(t, relative).Process.Pid)
}

func TestInUseEndsWithTheProcess(t *testing.T) {
	a := processtest.NewAccount(t)
	c := processtest.Start(t, processtest.Cat("CODEX_HOME="+a.CodexHome))
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Fatal("the child was not killed")
	}
	wantUse(t, a)
}

// A process that ends between the survey and the look at its arguments is no user of the account any more.
func TestInUseEndsWithTheProcessAfterSurvey(t *testing.T) {
	a := processtest.NewAccount(t)
	c := processtest.Start(t, processtest.Cat("CODEX_HOME="+a.CodexHome))
	s, err := TakeSurvey()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Fatal("the child was not killed")
	}
	if use, err := s.InUse(a.CodexHome, a.Lock); err != nil || use.Any() {
		t.Errorf("used by %v, %v, want nobody", use.Processes, err)
	}
}

func TestInUseByLockAlone(t *testing.T) {
	a := processtest.NewAccount(t)
	c := processtest.StartHolding(t, a, processtest.Cat())
	wantUse(t, a, c.Process.Pid)
}

// A daemon that a session started has its own session and another parent, and has only the account's lock.
func TestInUseByOrphan(t *testing.T) {
	a := processtest.NewAccount(t)
	cmd := exec.Command("/usr/bin/setsid", "--fork", "/usr/bin/env", "-i", "cat")
	c := processtest.StartHolding(t, a, cmd)
	c.WaitEnded(t) // the cat may run before its parent has ended
	use := mustUse(t, a)
	if len(use.Processes) != 1 || use.Processes[0].Command != "cat" || use.Processes[0].PID == c.Process.Pid {
		t.Errorf("InUse = %v, want only the cat", use.Processes)
	}
}

func TestInUseNotByOwnLock(t *testing.T) {
	for _, how := range []int{unix.LOCK_SH, unix.LOCK_EX} {
		a := processtest.NewAccount(t)
		processtest.HoldLock(t, a, how)
		wantUse(t, a)
	}
}

func TestInUseByUnseenHolder(t *testing.T) {
	a := processtest.NewAccount(t)
	processtest.HoldLock(t, a, unix.LOCK_SH)
	probe, err := probeLock(a.Lock)
	if err != nil || !probe.held {
		t.Fatalf("probeLock = %+v, %v, want it held", probe, err)
	}
	use := Table{}.use(probe) // a table without the holder, as if that were in another pid namespace
	if !use.Unseen || !use.Any() {
		t.Errorf("use = %+v, want Unseen", use)
	}
}

func TestInUseWithoutFiles(t *testing.T) {
	a := processtest.NewAccount(t)
	if err := os.Remove(a.Lock); err != nil {
		t.Fatal(err)
	}
	wantUse(t, a)
	if _, err := os.Stat(a.Lock); !os.IsNotExist(err) {
		t.Errorf("the lock file was created: %v", err)
	}
	if err := os.RemoveAll(a.Home); err != nil {
		t.Fatal(err)
	}
	c := processtest.Start(t, processtest.Cat("CODEX_HOME="+a.CodexHome))
	wantUse(t, a, c.Process.Pid)
}

// probeLock leaves the lock as it was: free.
func TestProbeLockLeavesNothing(t *testing.T) {
	a := processtest.NewAccount(t)
	for range 2 {
		if probe, err := probeLock(a.Lock); err != nil || probe.held || probe.unsupported {
			t.Fatalf("probeLock = %+v, %v, want a free lock", probe, err)
		}
	}
	processtest.HoldLock(t, a, unix.LOCK_EX)
}

// The lock is free at once even if a child that was forked meanwhile, and has not called execve yet, has the descriptor.
func TestProbeLockBesideFork(t *testing.T) {
	a := processtest.NewAccount(t)
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

// A process that took the lock after the survey is found: the lock is tried later.
func TestSurveyBeforeTheHolder(t *testing.T) {
	a := processtest.NewAccount(t)
	survey, err := TakeSurvey()
	if err != nil {
		t.Fatal(err)
	}
	c := processtest.StartHolding(t, a, processtest.Cat())
	use, err := survey.InUse(a.CodexHome, a.Lock)
	if err != nil || !slices.Equal(pids(use.Processes), []int{c.Process.Pid}) {
		t.Errorf("InUse of an older survey = %+v, %v, want the process %d", use, err, c.Process.Pid)
	}
}

// A zombie has no environment any more and uses nothing.
func TestInUseNotByZombie(t *testing.T) {
	a := processtest.NewAccount(t)
	c := processtest.Start(t, processtest.Cat("CODEX_HOME="+a.CodexHome))
	if err := c.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c.WaitEnded(t)
	wantUse(t, a)
}

// A process that replaces its program, which hides its environment for a moment, is found.
func TestInUseDuringExec(t *testing.T) {
	a := processtest.NewAccount(t)
	script := filepath.Join(t.TempDir(), "again")
	if err := os.WriteFile(script, []byte("[ -n \"$1\" ] || echo\nexec sh \"$0\" again\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", script)
	cmd.Args[0] = "sh"
	cmd.Env = []string{"PATH=/usr/bin:/bin", "CODEX_HOME=" + a.CodexHome}
	c := processtest.Start(t, cmd)
	for n := range 200 {
		use := mustUse(t, a)
		if !slices.Equal(pids(use.Processes), []int{c.Process.Pid}) {
			t.Fatalf("InUse, look %d, = %v, want the process %d, which keeps calling execve", n, use.Processes, c.Process.Pid)
		}
		if args := use.Processes[0].args; len(args) < 2 || args[0] != "sh" {
			t.Fatalf("at look %d its arguments are %q", n, args)
		}
	}
}

// The use is passing while only shells that take a snapshot for codex run, and not beside any other process.
func TestInUsePassing(t *testing.T) {
	a := processtest.NewAccount(t)
	if mustUse(t, a).Passing() {
		t.Error("Passing is true for an account that is not in use")
	}
	snapshot := func(env string) {
		cmd := exec.Command("/bin/sh", "-c", "echo '# Snapshot file'\nx=$(cat)\n")
		cmd.Env = []string{"PATH=/usr/bin:/bin", env}
		processtest.Start(t, cmd)
	}
	snapshot("CODEX_HOME=" + t.TempDir())
	snapshot("HOME=" + a.Home)
	snapshot("CODEX_HOME=" + a.CodexHome)
	if use := mustUse(t, a); !use.Passing() || !use.Any() {
		t.Errorf("used by %v, passing %v, want only snapshots", use.Processes, use.Passing())
	}
	processtest.Start(t, processtest.Cat("CODEX_HOME="+a.CodexHome))
	if use := mustUse(t, a); use.Passing() {
		t.Errorf("used by %v, passing true, want false", use.Processes)
	}
}

func mustUse(t *testing.T, a processtest.Account) Use {
	t.Helper()
	use, err := InUse(a.CodexHome, a.Lock)
	if err != nil {
		t.Fatal(err)
	}
	return use
}

// mustUseOfSurvey is mustUse as a survey answers it.
func mustUseOfSurvey(t *testing.T, a processtest.Account) Use {
	t.Helper()
	survey, err := TakeSurvey()
	if err != nil {
		t.Fatal(err)
	}
	use, err := survey.InUse(a.CodexHome, a.Lock)
	if err != nil {
		t.Fatal(err)
	}
	return use
}

func pids(list []Process) []int {
	var all []int
	for _, p := range list {
		all = append(all, p.PID)
	}
	return all
}

// wantUse checks that these processes use the account, and no hidden one.
func wantUse(t *testing.T, a processtest.Account, want ...int) {
	t.Helper()
	slices.Sort(want)
	for how, use := range map[string]Use{"InUse": mustUse(t, a), "InUse of a survey": mustUseOfSurvey(t, a)} {
		if got := pids(use.Processes); !slices.Equal(got, want) || use.Unseen || use.NoLocks {
			t.Errorf("%s = %v, unseen %v, no locks %v; want the pids %v", how, use.Processes, use.Unseen, use.NoLocks, want)
		}
	}
}

// NoProcesses is false while another process uses the account.
func TestNoProcesses(t *testing.T) {
	a := processtest.NewAccount(t)
	if none, err := NoProcesses(a.CodexHome, a.Lock); !none || err != nil {
		t.Errorf("NoProcesses of an account that nobody uses = %v, %v", none, err)
	}
	processtest.StartHolding(t, a, processtest.Cat())
	if none, err := NoProcesses(a.CodexHome, a.Lock); none || err != nil {
		t.Errorf("NoProcesses beside a session = %v, %v", none, err)
	}
}
