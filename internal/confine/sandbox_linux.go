package confine

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/confine/desk"
	"swop/internal/confine/filter"
	"swop/internal/confine/mount"
	"swop/internal/disk"
)

// A program inside makes no mount namespace: in one of its own it would see what is covered. Codex's own sandbox is a bubblewrap, which
// needs one. So the name bwrap inside leads to swop, which asks the supervisor for a bubblewrap beside the session. Its arguments are the
// session's, but its program begins once the namespace that it has made was found to keep all covers.
const (
	bubblewrapName = "bwrap"
	bubblewrapPath = programsDir + "/bubblewrap" // the real one
	sandboxDir     = programsDir + "/bin"        // has the name
	sandboxSocket  = "sandbox.sock"

	systemBubblewrap = "/usr/bin/bwrap" // where releases before 0.128 look

	mostSandboxes = 64 // that are being started
)

// serveSandbox starts one sandbox beside the session.
func (j *Jail) serveSandbox(conn *net.UnixConn, r desk.Request, _ *bufio.Reader, streams []int) {
	plan := planOf(limit{mount.TwoViews, j.scope.ownDirs()}, r.Dir, bubblewrapPath, r.Command, r.Env)
	if err := j.now.Beside(plan, conn, streams); err != nil {
		_ = desk.SayNotStarted(conn, err) // who asked may be gone
	}
}

// passedOn are the options of bubblewrap that a session may give, with the number of their arguments. No other one is passed on: those that
// keep capabilities, join namespaces, read more options, show what lies below a cover (overlays), or name a descriptor.
var passedOn = map[string]int{
	"--new-session": 0, "--die-with-parent": 0, "--as-pid-1": 0, "--unshare-user": 0, "--unshare-user-try": 0, "--unshare-pid": 0,
	"--unshare-ipc": 0, "--unshare-net": 0, "--unshare-uts": 0, "--clearenv": 0,
	"--chdir": 1, "--unsetenv": 1, argv0: 1, "--cap-drop": 1, "--uid": 1, "--gid": 1, "--hostname": 1,
	"--proc": 1, "--dev": 1, "--tmpfs": 1, "--dir": 1, "--remount-ro": 1, "--perms": 1, "--size": 1,
	"--setenv": 2, "--bind": 2, "--bind-try": 2, "--ro-bind": 2, "--ro-bind-try": 2, "--dev-bind": 2, "--dev-bind-try": 2,
	"--symlink": 2, "--chmod": 2,
}

const argv0 = "--argv0"

// split returns the options in the arguments of bubblewrap, the command with the name that it gets in front, and its environment.
func split(args []string, env config.Env) (options, command []string, _ config.Env, err error) {
	name := ""
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "--" {
		n, ok := passedOn[args[0]]
		if !ok || len(args) <= n {
			return nil, nil, nil, fmt.Errorf("a confined session cannot use %s", args[0])
		}
		switch args[0] {
		case argv0:
			name = args[1]
		case "--setenv":
			env = env.With(args[1], args[2])
		case "--unsetenv":
			env = env.Without(args[1])
		case "--clearenv":
			env = nil
		default:
			options = append(options, args[:n+1]...)
		}
		args = args[n+1:]
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return nil, nil, nil, errors.New("the command is missing")
	}
	return options, append([]string{cmp.Or(name, args[0])}, args...), env, nil
}

// startSandbox starts bubblewrap on this thread, lets it wait for us before it starts its program, and looks at the namespace that it has
// made by then. No process has the session's environment before that program: it could make it run another one.
func (p program) startSandbox() (pid int, err error) {
	own, command, env, err := split(p.args, p.env.With("PWD", p.dir))
	if err != nil {
		return 0, err
	}
	options := []string{"--die-with-parent", "--unshare-user", "--cap-drop", "ALL", "--info-fd", "3", "--block-fd", "4"}
	// a program in a sandbox asks for no wider one
	options = slices.Concat(options, own, []string{"--ro-bind", os.DevNull, filepath.Join(desk.RuntimeDir, sandboxSocket)})
	list, err1 := mount.TextFile(strings.Join(options, "\x00") + "\x00")
	variables, err2 := mount.TextFile(strings.Join(env, "\x00"))
	info, told, err3 := os.Pipe()
	gate, opener, err4 := os.Pipe()
	for _, file := range []*os.File{list, variables, info, told, gate, opener} {
		defer file.Close()
	}
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return 0, err
	}
	// It has both ends of the gate, which stays shut where this process is killed.
	files := []uintptr{0, 1, 2, told.Fd(), gate.Fd(), list.Fd(), opener.Fd(), lastEnvironment: variables.Fd()}
	attr := p.attr(files...)
	attr.Env = nil
	pid, err = syscall.ForkExec(p.path, append([]string{bubblewrapName, "--args", "5", "--", HelperPath, lastStep}, command...), attr)
	if err = errors.Join(err, told.Close()); err != nil {
		return 0, err
	}
	if err = p.check(info); err == nil {
		_, err = opener.Write([]byte{0})
	}
	if err != nil {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it ends with this process anyway
	}
	return pid, err
}

// check waits until the process that bubblewrap tells of has made its namespace and has no capability left to change it, and looks whether
// it keeps all covers. One that has ended is none of our concern: bubblewrap says why.
func (p program) check(info io.Reader) error {
	var made struct {
		Process int `json:"child-pid"`
	}
	err := json.NewDecoder(info).Decode(&made)
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil || made.Process <= 0:
		return errors.New("bubblewrap does not tell of its process")
	}
	for {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", made.Process))
		if err != nil {
			return nil
		}
		if strings.Contains(string(status), "\nCapPrm:\t0000000000000000\n") {
			return mount.CheckMounts(made.Process, HelperPath, p.sockets)
		}
		const tick = 200 * time.Microsecond // it needs some milliseconds
		time.Sleep(tick)
	}
}

// askForSandbox is bwrap inside a session. It returns the exit status.
func askForSandbox(args []string, env config.Env) int {
	if len(args) == 1 && (args[0] == "--help" || args[0] == "--version") {
		_ = syscall.Exec(bubblewrapPath, append([]string{bubblewrapName}, args...), env) // else it cannot start below either
	}
	dir, err := unix.Getwd()
	var asking desk.Asking
	if err == nil {
		asking, err = desk.Connect(sandboxSocket, desk.Request{Ask: desk.Ask{Command: args}, Dir: dir, Env: env})
	}
	status := 1
	if err == nil {
		status, err = asking.Attend()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, bubblewrapName+":", err)
		return 1
	}
	return status
}

// lastStep is the argument by which a helper is what bubblewrap starts; lastEnvironment is where it reads its program's environment.
const (
	lastStep        = "last-step"
	lastEnvironment = 7
)

// startInSandbox runs the program of a sandbox in the place of this process, once it is under the whole filter, and in a domain without
// sockets: it could mount what others see where the session makes them. Args are the program's name, and the command; bubblewrap says where
// it is.
func startInSandbox(args []string, bubblewraps config.Env) error {
	runtime.LockOSThread() // both are the thread's
	path, err := "", errors.Join(filter.Install(), filter.Enter(true))
	env := environmentOf(lastEnvironment)
	if dir, set := bubblewraps.Lookup("PWD"); set {
		env = env.With("PWD", dir)
	}
	if err == nil {
		path, err = disk.OnPath(args[1], env.Value("PATH"))
	}
	if err == nil {
		err = syscall.Exec(path, slices.Concat(args[:1], args[2:]), env)
	}
	return fmt.Errorf("execvp %s: %w", args[1], err)
}

// limit returns the limit of the session's programs.
func (j *Jail) limit() limit {
	if j.request.Policy.Nested {
		return limit{views: mount.AnyViews}
	}
	return limit{mount.OneView, j.scope.ownDirs()}
}
