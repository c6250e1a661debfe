package process

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/test/processtest"
	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

func TestInUse(t *testing.T) {
	cat := func(t *testing.T, env ...string) processtest.Child {
		return processtest.Start(t, processtest.Cat(env...))
	}
	for name, start := range map[string]func(t *testing.T, a processtest.Account) (users []int){
		"others": func(t *testing.T, _ processtest.Account) []int {
			cat(t, "HOME="+t.TempDir(), "CODEX_HOME="+t.TempDir())
			cat(t, "CODEX_HOME=", "HOME=", "SWOP_ACCOUNT=work")
			return nil
		},
		"a session": func(t *testing.T, a processtest.Account) []int {
			return []int{cat(t, "CODEX_HOME="+a.CodexHome, "HOME="+a.Home).Process.Pid}
		},
		"through a link": func(t *testing.T, a processtest.Account) []int {
			link := testfile.Symlink(t, a.CodexHome, filepath.Join(t.TempDir(), "link"))
			return []int{cat(t, "CODEX_HOME="+link+"/.").Process.Pid}
		},
		"its HOME alone": func(t *testing.T, a processtest.Account) []int {
			cat(t, "HOME="+a.Home)
			return nil
		},
		"a codex by its HOME alone": func(t *testing.T, a processtest.Account) []int {
			return []int{processtest.StartCodex(t, processtest.Cat("HOME="+a.Home)).Process.Pid}
		},
		"a relative path": func(t *testing.T, a processtest.Account) []int {
			cmd := processtest.Cat("CODEX_HOME=.codex")
			cmd.Dir = a.Home
			return []int{processtest.Start(t, cmd).Process.Pid}
		},
		"the lock alone": func(t *testing.T, a processtest.Account) []int {
			return []int{processtest.StartHolding(t, a, processtest.Cat()).Process.Pid}
		},
		"our shared lock": func(t *testing.T, a processtest.Account) []int {
			processtest.HoldLock(t, a, unix.LOCK_SH)
			return nil
		},
		"our exclusive lock": func(t *testing.T, a processtest.Account) []int {
			processtest.HoldLock(t, a, unix.LOCK_EX)
			return nil
		},
		"a zombie": func(t *testing.T, a processtest.Account) []int {
			c := cat(t, "CODEX_HOME="+a.CodexHome)
			testhome.NoError(t, c.Process.Kill())
			c.WaitEnded(t)
			return nil
		},
		"no lock file": func(t *testing.T, a processtest.Account) []int {
			testhome.NoError(t, os.Remove(a.Lock))
			return nil
		},
		"no lock file and no home": func(t *testing.T, a processtest.Account) []int {
			testhome.NoError(t, errors.Join(os.Remove(a.Lock), os.RemoveAll(a.Home)))
			return []int{cat(t, "CODEX_HOME="+a.CodexHome).Process.Pid}
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := processtest.NewAccount(t)
			users := start(t, a)
			before := testhome.Exists(a.Lock)
			wantUse(t, a, users...)
			if testhome.Exists(a.Lock) != before {
				t.Error("the lock file was created")
			}
		})
	}
}

// A process that ends between the survey and the look at its arguments is no user of the account any more.
func TestInUseEndsWithTheProcessAfterSurvey(t *testing.T) {
	a := processtest.NewAccount(t)
	c := processtest.Start(t, processtest.Cat("CODEX_HOME="+a.CodexHome))
	s, err := TakeSurvey()
	testhome.NoError(t, errors.Join(err, c.Process.Kill()))
	_ = c.Wait() // it was killed
	if use, err := s.InUse(a.CodexHome, a.Lock); err != nil || use.Any() {
		t.Errorf("used by %v, %v, want nobody", use.Processes, err)
	}
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

// A process that took the lock after the survey is found: the lock is tried later.
func TestSurveyBeforeTheHolder(t *testing.T) {
	a := processtest.NewAccount(t)
	survey, err := TakeSurvey()
	testhome.NoError(t, err)
	c := processtest.StartHolding(t, a, processtest.Cat())
	use, err := survey.InUse(a.CodexHome, a.Lock)
	if err != nil || !slices.Equal(pids(use.Processes), []int{c.Process.Pid}) {
		t.Errorf("InUse of an older survey = %+v, %v, want the process %d", use, err, c.Process.Pid)
	}
}

// A process that replaces its program, which hides its environment for a moment, is found.
func TestInUseDuringExec(t *testing.T) {
	a := processtest.NewAccount(t)
	script := filepath.Join(t.TempDir(), "again")
	testhome.NoError(t, os.WriteFile(script, []byte("[ -n \"$1\" ] || echo\nexec sh \"$0\" again\n"), 0o600))
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

func mustUse(t *testing.T, a processtest.Account) Use {
	t.Helper()
	use, err := InUse(a.CodexHome, a.Lock)
	testhome.NoError(t, err)
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
	use := mustUse(t, a)
	if got := pids(use.Processes); !slices.Equal(got, want) || use.Unseen || use.NoLocks {
		t.Errorf("InUse = %v, unseen %v, no locks %v; want the pids %v", use.Processes, use.Unseen, use.NoLocks, want)
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
