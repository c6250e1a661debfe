package oracle

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"swop/internal/testhome"
)

// TestWaiting: a start that waits for another one says so.
func TestWaiting(t *testing.T) {
	testhome.NotShort(t, "thousands of files")
	testhome.Needs(t, "sqlite3") // for the home of every test
	for name, row := range map[string]func(*play){"goes on": stoppedWhileItRepairs, "killed": killedWhileItIsStopped} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row(newPlay(t))
		})
	}
}

// stoppedWhileItRepairs: who waits for a start that is stopped says so, and goes on when that one does.
func stoppedWhileItRepairs(p *play) {
	holder := p.stopped()
	waiter, said := p.waiter()
	p.told(said, holder.Process.Pid)
	testhome.NoError(p.t, holder.Process.Signal(syscall.SIGCONT))
	testhome.NoError(p.t, holder.Wait())
	testhome.NoError(p.t, waiter.Wait())
	p.settled()
	p.same("x")
}

func killedWhileItIsStopped(p *play) {
	holder := p.stopped()
	waiter, said := p.waiter()
	p.told(said, holder.Process.Pid)
	testhome.NoError(p.t, holder.Process.Kill())
	_ = holder.Wait() // killed
	testhome.NoError(p.t, waiter.Wait())
	p.settled()
	p.same("x")
}

// many entries take a start long enough to be stopped while it repairs.
const many = 3000

// stopped returns a start that was stopped while it holds a lock and repairs the links of its account.
func (p *play) stopped() *exec.Cmd {
	p.in("work", "sed -i s/first/second/ ~/x")
	for n := range many {
		testhome.PutText(p.t, filepath.Join(p.sandbox("work"), fmt.Sprintf("few%d", n)), "# few\n")
	}
	cmd := p.command("work", "codex", "true")
	testhome.NoError(p.t, cmd.Start())
	p.t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may have ended
	for !holdsLock(cmd.Process.Pid) && syscall.Kill(cmd.Process.Pid, 0) == nil {
		time.Sleep(100 * time.Microsecond)
	}
	testhome.NoError(p.t, cmd.Process.Signal(syscall.SIGSTOP))
	if !holdsLock(cmd.Process.Pid) {
		p.t.Fatal("it was stopped too late: nothing is proved")
	}
	return cmd
}

// holdsLock reports whether the process has locked a file for itself alone.
func holdsLock(pid int) bool {
	locks, err := os.ReadFile("/proc/locks")
	return err == nil && regexp.MustCompile(fmt.Sprintf(`FLOCK +ADVISORY +WRITE %d `, pid)).Match(locks)
}

// heard is what a program says, which can be read while it runs.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(p)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// waiter is a start of the other account, which has something to repair.
func (p *play) waiter() (*exec.Cmd, *heard) {
	testhome.NoError(p.t, os.WriteFile(p.sandbox("home")+"/made", []byte("# made\n"), 0o600))
	cmd, said := p.command("home", "codex", "true"), &heard{}
	cmd.Stderr = said
	testhome.NoError(p.t, cmd.Start())
	p.t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may have ended
	return cmd, said
}

// told waits until the waiter has named the process, that it is stopped, and its account. It is to say so after two seconds.
func (p *play) told(said *heard, pid int) {
	p.t.Helper()
	for range 100 {
		if text := said.String(); strings.Contains(text, fmt.Sprint(pid)) && strings.Contains(text, "stopped") {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	p.t.Errorf("after ten seconds the waiter said %q, and not that it waits for %d, which is stopped", said.String(), pid)
}
