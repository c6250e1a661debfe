package process

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

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
		"others": func(t *testing.T, a processtest.Account) []int {
			cat(t, "HOME="+a.Home, "CODEX_HOME="+t.TempDir())
			cat(t, "HOME="+a.Home)
			return nil
		},
		"through a link": func(t *testing.T, a processtest.Account) []int {
			link := testfile.Symlink(t, a.CodexHome, filepath.Join(t.TempDir(), "link"))
			return []int{cat(t, "CODEX_HOME="+link+"/.").Process.Pid}
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
		"our own lock": func(t *testing.T, a processtest.Account) []int {
			processtest.HoldLock(t, a, unix.LOCK_SH)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := processtest.NewAccount(t)
			wantUse(t, a, start(t, a)...)
		})
	}
}

// A survey without the holder of the lock, as if that were in another pid namespace; a home, and processes, that cannot be seen.
func TestInUseByUnseenHolder(t *testing.T) {
	a := processtest.NewAccount(t)
	processtest.HoldLock(t, a, unix.LOCK_SH)
	if use, err := (Survey{}).InUse(a.CodexHome, a.Lock); err != nil || !use.Unseen || !use.Any() {
		t.Errorf("use = %+v, %v, want Unseen", use, err)
	}
	loop := filepath.Join(t.TempDir(), "loop")
	testfile.Symlink(t, loop, loop)
	if use, err := (Survey{}).InUse(loop, NoLock); err == nil {
		t.Errorf("InUse of a home that cannot be seen = %+v", use)
	}
	processtest.Start(t, processtest.Cat("CODEX_HOME="+a.CodexHome))
	var limit unix.Rlimit
	testhome.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	free, _ := unix.Dup(0) // one descriptor, and none for the busy server
	testhome.NoError(t, errors.Join(unix.Close(free), unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(free) + 1, Max: limit.Max})))
	use, err := InUse(a.CodexHome, NoLock)
	held, _ := unix.Dup(0)
	why := (Survey{}).busy(Process{PID: os.Getpid()}, time.Now())
	if testhome.NoError(t, errors.Join(unix.Close(held), unix.Setrlimit(unix.RLIMIT_NOFILE, &limit))); err == nil || why == "" {
		t.Errorf("for want of descriptors InUse = %+v, busy = %q", use, why)
	}
}

func hasPID(p Process, pid int) bool { return p.PID == pid }

// wantUse checks that these processes use the account, and no hidden one.
func wantUse(t *testing.T, a processtest.Account, want ...int) {
	t.Helper()
	use, err := InUse(a.CodexHome, a.Lock)
	if !slices.EqualFunc(use.Processes, want, hasPID) || use.Unseen || err != nil {
		t.Errorf("InUse = %v, unseen %v, %v; want the pids %v", use.Processes, use.Unseen, err, want)
	}
}
