package confine

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/confine/desk"
	"swop/internal/confine/filter"
	"swop/internal/confine/mount"
	"swop/internal/session/supervise"
)

// limit bounds the program of a helper.
type limit struct {
	views   string   // how many mount namespaces: see [mount.Finish]
	sockets []string // the directories in which it can make sockets, all with [mount.AnyViews]: see [filter.Enter]
}

// planOf returns what lets a helper start a program: its arguments are the limit, the working directory, and the program with its own
// arguments.
func planOf(l limit, dir, path string, args, env []string) mount.Plan {
	own := []string{HelperPath, l.views, strings.Join(l.sockets, ":"), dir, path}
	return mount.Plan{Program: HelperPath, Args: append(own, args...), Env: env}
}

// environment reads the program's environment from the file that a helper was started with. It has none itself: a dynamic linker, and Go,
// would obey words of the session before the process is under a filter.
func environment() config.Env {
	file := os.NewFile(mount.Environment, "environment")
	defer file.Close()
	text, _ := io.ReadAll(file) // of memory
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == 0 })
}

// runHelper is the parent of the program that runs inside. args are those of planOf.
func runHelper(args []string) {
	// No program inside reads this one's memory, or traces it.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil || len(args) < 4 {
		return
	}
	supervisor := os.NewFile(mount.Status, "supervisor")
	supervise.Survive()
	runtime.LockOSThread() // the program dies with this thread, and is under its filter
	unix.CloseOnExec(mount.Status)
	p := program{
		limit: limit{args[0], filepath.SplitList(args[1])}, dir: args[2], path: args[3], args: args[4:], env: environment(),
	}
	var err error
	if p.path == bubblewrapName {
		p, err = p.enterSandbox()
	}
	if err == nil {
		err = p.seal()
	}
	if err != nil {
		_ = desk.SayNotStarted(supervisor, err) // the supervisor sees the end of this process
		return
	}
	p.run(supervisor)
}

// program is what a helper starts.
type program struct {
	limit
	dir, path string
	args      []string
	env       config.Env

	ownSession, ownNetwork bool
}

// seal completes the session's namespaces, and puts this thread under the session's filter.
func (p program) seal() error {
	return errors.Join(mount.Finish(p.views), filter.Install(), filter.Enter(p.views != mount.AnyViews, p.sockets...))
}

// start starts the program on this thread, with which it dies.
func (p program) start() (pid int, err error) {
	sys := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: p.ownSession}
	return syscall.ForkExec(p.path, p.args, &syscall.ProcAttr{Dir: p.dir, Env: p.env.With("PWD", p.dir), Files: []uintptr{0, 1, 2}, Sys: sys})
}

// run starts the program, and reports to the supervisor until the program has ended.
func (p program) run(supervisor *os.File) {
	pid, err := p.start()
	if errno, tried := errors.AsType[syscall.Errno](err); err == nil || tried {
		err = errors.Join(err, binary.Write(supervisor, binary.NativeEndian, uint32(errno)))
	} else {
		_ = desk.SayNotStarted(supervisor, err) // the supervisor sees the end of this process
	}
	if err != nil {
		return
	}
	child := supervise.ChildOf(pid)
	go func() { // the supervisor writes the signals for the program, which may have ended
		var sig uint32
		for binary.Read(supervisor, binary.NativeEndian, &sig) == nil {
			_ = child.Signal(syscall.Signal(sig))
		}
		_ = child.Signal(syscall.SIGKILL)
	}()
	for {
		var status syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &status, syscall.WUNTRACED, nil) // the first process of a namespace has the orphans to wait for
		switch {
		case errors.Is(err, syscall.EINTR), err == nil && ended != pid:
		case err != nil, binary.Write(supervisor, binary.NativeEndian, uint32(status)) != nil, !status.Stopped():
			return
		}
	}
}

// RunProcess runs the process of a confined start whose argv[0] is name, and returns its exit status. ok is false if name is no such
// process.
func RunProcess(name string, args []string, env config.Env) (status int, ok bool) {
	if filepath.Base(name) == bubblewrapName {
		return askForSandbox(args, env), true
	}
	if name != HelperPath && name != mount.Name {
		return 0, false
	}
	debug.SetTraceback("none") // the terminal is codex's
	if name == mount.Name {
		mount.Run()
		return 0, true
	}
	runHelper(args)
	return 0, true
}
