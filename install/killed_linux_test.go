package install

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A run in a process of its own is killed before each call that changes a file, one call further each time. Whatever it leaves, every
// file is as before or as after, and the next run completes it.

// callOfChild is what TestMain does in such a process.
type callOfChild struct {
	Verb string // install or uninstall
	O    childOptions
}

// childOptions are the options that a child needs.
type childOptions struct {
	From, Home, Shell string
	Env               []string
	EveryPrompt       bool
}

// runChild does what the variable INSTALL_CHILD asks for.
func runChild(text string) int {
	var c callOfChild
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	do := map[string]func(Options) (Report, error){"install": Install, "uninstall": Uninstall}[c.Verb]
	if _, err := do(Options{From: c.O.From, Home: c.O.Home, Env: c.O.Env, Shell: c.O.Shell, EveryPrompt: c.O.EveryPrompt}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// killedAt runs the verb in a child and kills it before its nth changing call. It returns false where the child had fewer.
func (h *home) killedAt(t *testing.T, verb string, n int) bool {
	t.Helper()
	text, err := json.Marshal(callOfChild{verb, childOptions{h.o.From, h.o.Home, h.o.Shell, h.o.Env, h.o.EveryPrompt}})
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "INSTALL_CHILD="+string(text))
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	killed, err := traced(cmd, n)
	if err != nil {
		t.Fatalf("%s to be killed at call %d: %v\n%s", verb, n, err, &out)
	}
	return killed
}

// changing are the calls that change a file or a directory, but for openat.
var changing = []uint64{
	unix.SYS_WRITE, unix.SYS_COPY_FILE_RANGE, unix.SYS_SENDFILE, unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHOWN,
	unix.SYS_FSYNC, unix.SYS_FTRUNCATE, unix.SYS_TRUNCATE, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_UNLINKAT, unix.SYS_MKDIRAT,
	unix.SYS_LINKAT, unix.SYS_SYMLINKAT,
}

// traced runs cmd under ptrace(2) and kills it before its nth changing call, counted over all threads.
func traced(cmd *exec.Cmd, n int) (killed bool, err error) {
	runtime.LockOSThread() // only this thread is the tracer
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	var status unix.WaitStatus
	if _, err := waitFor(cmd.Process.Pid, &status); err != nil {
		return false, err
	}
	options := unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_EXITKILL
	if err := unix.PtraceSetOptions(cmd.Process.Pid, options); err != nil {
		return false, err
	}
	w := tracee{leader: cmd.Process.Pid, last: n}
	defer func() { err = w.ended(cmd, err) }()
	for tid := cmd.Process.Pid; ; {
		if err := unix.PtraceSyscall(tid, w.deliver); err != nil && err != unix.ESRCH {
			return false, err
		}
		if tid, err = waitFor(-1, &status); err != nil {
			return false, err
		}
		switch done, err := w.look(tid, status); {
		case err != nil:
			return false, err
		case done:
			return w.calls >= w.last, nil
		}
	}
}

// ofThisThread has wait4(2) wait for threads too, and not for what other tests started.
const ofThisThread = unix.WALL | 0x20000000 // __WNOTHREAD

// waitFor is wait4(2) that goes on where a signal of Go's scheduler interrupts it.
func waitFor(pid int, status *unix.WaitStatus) (int, error) {
	for {
		tid, err := unix.Wait4(pid, status, ofThisThread, nil)
		if err != unix.EINTR {
			return tid, err
		}
	}
}

// tracee is a child under ptrace.
type tracee struct {
	leader, calls, last int
	deliver             int // the signal that the thread which stopped is to get
	status              unix.WaitStatus
}

// look takes one stop of a thread. done: the child has ended, or was killed.
func (w *tracee) look(tid int, status unix.WaitStatus) (done bool, err error) {
	w.deliver = 0
	switch {
	case status.Exited() || status.Signaled():
		w.status = status
		return tid == w.leader, nil
	case status.StopSignal() == syscall.SIGTRAP|0x80:
		changes, err := aboutToChange(tid)
		if err != nil || !changes || !exists(fmt.Sprintf("/proc/%d/task/%d", w.leader, tid)) { // a zsh that it asks changes nothing
			return false, err
		}
		if w.calls++; w.calls < w.last {
			return false, nil
		}
		return true, unix.Kill(w.leader, unix.SIGKILL)
	case status.StopSignal() != syscall.SIGTRAP && status.StopSignal() != syscall.SIGSTOP:
		w.deliver = int(status.StopSignal())
	}
	return false, nil
}

// ended reaps the child.
func (w *tracee) ended(cmd *exec.Cmd, err error) error {
	if w.status.Exited() && err == nil {
		if w.status.ExitStatus() != 0 {
			err = fmt.Errorf("exit status %d", w.status.ExitStatus())
		}
		return err
	}
	if w.calls >= w.last || err != nil {
		_ = unix.Kill(-w.leader, unix.SIGKILL) // its children too: a zsh between fork and exec has the lock
		for e := error(nil); e == nil; {
			_, e = waitFor(-1, new(unix.WaitStatus))
		}
	}
	return err
}

// aboutToChange reports whether a thread is stopped before a call that changes a file (ptrace(2), PTRACE_GET_SYSCALL_INFO, the same on every
// architecture).
func aboutToChange(tid int) (bool, error) {
	var info struct {
		op   uint8
		_    [3]uint8
		_    uint32 // architecture
		_, _ uint64 // instruction and stack pointers
		nr   uint64
		args [6]uint64
		_    uint64
	}
	const getSyscallInfo, syscallEntry = 0x420e, 1
	_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, getSyscallInfo, uintptr(tid), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno == unix.ESRCH {
		return false, nil // it is being killed
	}
	if errno != 0 {
		return false, errno
	}
	if info.nr == unix.SYS_OPENAT {
		return info.op == syscallEntry && info.args[2]&unix.O_CREAT != 0, nil
	}
	return info.op == syscallEntry && slices.Contains(changing, info.nr), nil
}

// startFiles fill a home with what the runs have to change: appended to, made, linked, with two names.
func startFiles(t *testing.T) *home {
	h := newHome(t, "bash")
	h.write(t, ".bashrc", "# mine, without an end")
	h.write(t, "dots/profile", "# mine\n")
	symlink(t, "dots/profile", h.path(".profile"))
	h.write(t, ".zshrc", "x=1\n")
	if err := os.Link(h.path(".zshrc"), h.path("other")); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestInstallKilledAnywhere(t *testing.T) {
	h := startFiles(t)
	before := snapshot(t, h.o.Home)
	h.install(t)
	after := snapshot(t, h.o.Home)
	h.uninstall(t)
	n := h.everyKill(t, "install", before, after, func() {
		h.install(t)
		after.same(t, h.o.Home)
		h.uninstall(t)
		before.same(t, h.o.Home)
	})
	if n < 30 {
		t.Errorf("the install was killed at %d calls, want those of all its steps", n)
	}
}

func TestUninstallKilledAnywhere(t *testing.T) {
	h := startFiles(t)
	before := snapshot(t, h.o.Home)
	h.install(t)
	after := snapshot(t, h.o.Home)
	n := h.everyKill(t, "uninstall", before, after, func() {
		h.uninstall(t)
		before.same(t, h.o.Home)
		h.install(t)
		after.same(t, h.o.Home)
	})
	if n < 10 {
		t.Errorf("the uninstall was killed at %d calls, want those of all its steps", n)
	}
}

// An upgrade that is killed leaves two programs that run, the old ones or the new.
func TestUpgradeKilledAnywhere(t *testing.T) {
	h := startFiles(t)
	h.install(t)
	before := snapshot(t, h.o.Home)
	old, next := h.o.From, standIns(t, "v2")
	h.o.From = next
	h.install(t)
	after := snapshot(t, h.o.Home)
	h.o.From = old
	h.install(t)
	n := h.everyKill(t, "install", before, after, func() {
		for _, name := range programNames {
			if out := h.run(t, filepath.Join(h.bin(), name)); out != "v1\n" && out != "v2\n" {
				t.Errorf("after the kill %s prints %q", name, out)
			}
		}
		h.o.From = next
		h.install(t)
		after.same(t, h.o.Home)
		h.o.From = old
		h.install(t)
		before.same(t, h.o.Home)
		h.o.From = next
	})
	if n < 10 {
		t.Errorf("the upgrade was killed at %d calls, want those of all its steps", n)
	}
}

// everyKill kills the verb at one call after the other and looks at what is there, then calls rest, which puts things back. It returns how
// many kills there were.
func (h *home) everyKill(t *testing.T, verb string, before, after tree, rest func()) int {
	t.Helper()
	if verb == "install" && h.o.From != "" && before[filepath.Join(h.bin(), "codex")] != "" {
		h.o.From = standIns(t, "v2")
	}
	for n := 1; ; n++ {
		killed := h.killedAt(t, verb, n)
		h.whole(t, before, after)
		rest()
		if !killed {
			return n - 1
		}
		if t.Failed() {
			t.Fatalf("that was %s, killed at call %d", verb, n)
		}
	}
}

// whole checks that each file is as before or as after, but for what is made beside it and renamed, and the record, which grows.
func (h *home) whole(t *testing.T, before, after tree) {
	t.Helper()
	for path, text := range snapshot(t, h.o.Home) {
		base := filepath.Base(path)
		switch {
		case text == before[path] || text == after[path] || strings.HasPrefix(text, fs.ModeDir.String()[:1]):
		case strings.HasSuffix(base, ".swop-new"), strings.HasPrefix(base, ".codex"):
		case base == "install.json" && json.Valid([]byte(text[strings.IndexByte(text, ' '):])):
		case base == ".zshrc" || base == "other": // a file with two names is written in place: after a kill it is a part of one
			if !partOf(text, before[path], after[path]) {
				t.Errorf("%s is neither as before nor on the way:\n%q", path, text)
			}
		default:
			t.Errorf("%s is neither as before nor as after:\n%.300q", path, text)
		}
	}
}

func partOf(text, before, after string) bool {
	if len(before) > len(after) {
		before, after = after, before
	}
	return strings.HasPrefix(after, text) && strings.HasPrefix(text, before)
}
