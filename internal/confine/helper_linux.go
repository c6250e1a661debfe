package confine

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/confine/desk"
	"swop/internal/confine/filter"
	"swop/internal/confine/mount"
	"swop/internal/session/supervise"
)

// runHelper is the parent of the program that runs inside.
func runHelper() {
	// No program inside reads this one's memory, or traces it.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return
	}
	supervisor := os.NewFile(mount.Status, "supervisor")
	supervise.Survive()
	runtime.LockOSThread() // the program dies with this thread, and is under its filter
	unix.CloseOnExec(mount.Status)
	var p mount.Program
	err := mount.ReadProgram(&p)
	if err == nil && p.Path == bubblewrapName {
		p, err = enterSandbox(p)
	}
	if err == nil { // the namespaces are complete, and this thread is to be under the filter
		err = errors.Join(mount.Finish(p), filter.Install(), filter.Enter(!p.Nested, p.Sockets...))
	}
	if err != nil {
		_ = desk.SayNotStarted(supervisor, err) // the supervisor sees the end of this process
		return
	}
	run(p, supervisor)
}

// run starts the program on this thread, with which it dies, and reports to the supervisor until the program has ended.
func run(p mount.Program, supervisor *os.File) {
	sys, env := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: p.OwnSession}, p.Env.With("PWD", p.Dir)
	pid, err := syscall.ForkExec(p.Path, p.Args, &syscall.ProcAttr{Dir: p.Dir, Env: env, Files: []uintptr{0, 1, 2}, Sys: sys})
	errno, _ := errors.AsType[syscall.Errno](err) // as each error of it
	if errors.Join(err, binary.Write(supervisor, binary.NativeEndian, uint32(errno))) != nil {
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
	run, ok := map[string]func(){mount.Name: mount.Run, mount.HelperName: runHelper}[name]
	if ok {
		debug.SetTraceback("none") // the terminal is codex's
		run()
	}
	return 0, ok
}
