package faults

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Command is a command to run.
type Command struct {
	Args  []string // the program's path first
	Env   []string
	Dir   string
	Stdin string
	// Within is the directory in which opens that only read, and locks, are watched too; "" for none. Reads elsewhere are of libraries.
	Within string
}

// Verdict is what happens to a call. The zero verdict lets it through.
type Verdict struct {
	Kill  bool       // it is not executed: all processes of the command are killed
	Error unix.Errno // it is not executed, and gives this error
}

// Result is how a command ended.
type Result struct {
	Status  int // 128 and the signal's number where one ended it
	Stdout  string
	Stderr  string
	Changes int // how many calls that change a file it reached
	Killed  bool
}

// patience is when a command that hangs is ended: far above what one takes, even on a busy machine.
const patience = 2 * time.Minute

// Run runs the command and asks verdict before each watched call, of all its threads and children, in the one order in which
// the kernel executes them. It returns when all of its processes have ended.
func Run(c Command, verdict func(Call) Verdict) (Result, error) {
	var r Result
	var err error
	onOwnThread(func() { r, err = run(c, verdict) })
	return r, err
}

// onOwnThread calls f on a thread without children. Children belong to threads, and f must not wait for those of another test that runs
// at the same time. The thread ends with f.
func onOwnThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if hasChildren() {
			onOwnThread(f) // on another one: this one is in use
			runtime.UnlockOSThread()
			return
		}
		f()
	}()
	<-done
}

func hasChildren() bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL|unix.WNOTHREAD, nil)
	return !errors.Is(err, unix.ECHILD)
}

func run(c Command, verdict func(Call) Verdict) (Result, error) {
	streams, err := openStreams(c.Stdin)
	if err != nil {
		return Result{}, err
	}
	root, err := start(c, streams.theirs)
	streams.started()
	if err != nil {
		return Result{}, errors.Join(err, streams.finish())
	}
	limit := time.AfterFunc(patience, func() { _ = unix.Kill(-root, unix.SIGKILL) }) // it may just have ended
	defer limit.Stop()
	t := &tracer{root: root, within: c.Within, verdict: verdict, known: map[int]bool{root: true}}
	err = errors.Join(t.loop(), streams.finish())
	t.result.Stdout, t.result.Stderr = streams.out.String(), streams.err.String()
	if err == nil && !t.began {
		err = fmt.Errorf("%s was not run: %s", c.Args[0], t.result.Stderr)
	}
	return t.result, err
}

// start starts the helper, which stops before its first instruction.
func start(c Command, files []uintptr) (pid int, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	watch := withoutReads
	if c.Within != "" {
		watch = withReads
	}
	return syscall.ForkExec(self, append([]string{self, c.Args[0]}, c.Args...), &syscall.ProcAttr{
		Dir:   c.Dir,
		Env:   append([]string{helperVariable + "=" + watch}, c.Env...),
		Files: files,
		Sys:   &syscall.SysProcAttr{Ptrace: true, Setsid: true}, // no terminal, and a process group that can be ended at once
	})
}

// streams are the command's standard streams.
type streams struct {
	theirs   []uintptr
	files    []*os.File // the command's ends
	done     []chan error
	out, err bytes.Buffer
}

func openStreams(stdin string) (*streams, error) {
	s := &streams{}
	in, feed, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.add(in)
	s.copy(func() error { // a command that does not read it is no error of ours
		_, _ = io.WriteString(feed, stdin)
		return feed.Close()
	})
	for _, to := range []*bytes.Buffer{&s.out, &s.err} {
		from, out, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		s.add(out)
		s.copy(func() error {
			_, err := io.Copy(to, from)
			return errors.Join(err, from.Close())
		})
	}
	return s, nil
}

func (s *streams) add(f *os.File) {
	s.files = append(s.files, f)
	s.theirs = append(s.theirs, f.Fd())
}

func (s *streams) copy(f func() error) {
	done := make(chan error, 1)
	s.done = append(s.done, done)
	go func() { done <- f() }()
}

func (s *streams) started() {
	for _, f := range s.files {
		_ = f.Close() // a pipe: there is nothing to lose
	}
}

func (s *streams) finish() error {
	var failed []error
	for _, done := range s.done {
		failed = append(failed, <-done)
	}
	return errors.Join(failed...)
}

// tracer traces one command.
type tracer struct {
	root    int
	within  string
	verdict func(Call) Verdict
	known   map[int]bool // the threads that have stopped once
	began   bool         // the helper has become the command
	result  Result
}

const options = unix.PTRACE_O_EXITKILL | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
	unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_TRACESECCOMP

// loop returns when no process is left.
func (t *tracer) loop() error {
	first := true
	for {
		var status unix.WaitStatus
		tid, err := unix.Wait4(-1, &status, unix.WALL|unix.WNOTHREAD, nil) // of this thread: the test's other children are not ours
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ECHILD):
			return nil
		case err != nil:
			return fmt.Errorf("wait4: %w", err)
		}
		if !status.Stopped() {
			t.ended(tid, status)
			continue
		}
		if first {
			err = unix.PtraceSetOptions(tid, options)
			first = false
		}
		if err == nil {
			err = t.stopped(tid, status)
		}
		if err != nil && !errors.Is(err, unix.ESRCH) { // ESRCH: it was killed in the meantime
			t.kill()
			return err
		}
	}
}

func (t *tracer) ended(tid int, status unix.WaitStatus) {
	delete(t.known, tid)
	if tid != t.root {
		return
	}
	t.result.Status = status.ExitStatus()
	if status.Signaled() {
		t.result.Status = 128 + int(status.Signal())
	}
}

func (t *tracer) stopped(tid int, status unix.WaitStatus) error {
	known := t.known[tid]
	t.known[tid] = true
	if t.result.Killed { // it started when the others were killed
		return unix.Kill(tid, unix.SIGKILL)
	}
	signal := 0
	switch cause := status.TrapCause(); {
	case cause == unix.PTRACE_EVENT_SECCOMP && t.began:
		if err := t.call(tid); err != nil || t.result.Killed {
			return err
		}
	case cause == unix.PTRACE_EVENT_EXEC:
		t.began = true
		if err := t.forgetThread(tid); err != nil {
			return err
		}
	case cause > 0, !known && status.StopSignal() == unix.SIGSTOP, tid == t.root && !t.began && status.StopSignal() == unix.SIGTRAP:
		// an event, or the first stop of a new thread: no signal to pass on
	default:
		signal = int(status.StopSignal())
	}
	return unix.PtraceCont(tid, signal)
}

// forgetThread forgets the id of the thread that called exec: the thread now has the id of its process, and the old id may be reused.
func (t *tracer) forgetThread(tid int) error {
	was, err := unix.PtraceGetEventMsg(tid)
	if int(was) != tid {
		delete(t.known, int(was))
	}
	return err
}

// call decides about the call before which the thread has stopped.
func (t *tracer) call(tid int) error {
	call, ok, err := t.look(tid)
	if err != nil || !ok {
		return err
	}
	if call.Change = -1; call.kind != locks && (call.kind != opens || call.alters) {
		call.Change = t.result.Changes
		t.result.Changes++
	}
	switch v := t.verdict(call.Call); {
	case v.Kill:
		t.result.Killed = true
		t.kill()
		return nil
	case v.Error != 0:
		return failCall(tid, v.Error)
	}
	return nil
}

// kill ends all processes. The call before which one of them has stopped is not executed: a dying thread makes no calls (seccomp(2)).
func (t *tracer) kill() {
	for tid := range t.known {
		_ = unix.Kill(tid, unix.SIGKILL) // it may have ended already
	}
}

// programOf returns the file that the process runs.
func programOf(tid int) string {
	program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", tid))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(program, " (deleted)")
}
