package confine

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/confine/desk"
	"swop/internal/confine/filter"
	"swop/internal/confine/mount"
	"swop/internal/disk"
	"swop/internal/session/socket"
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

// bubblewrap returns the one that sandboxes are made by, "" for none: codex's own, else the system's, both of which a session cannot write.
func bubblewrap(codex string) string {
	own := filepath.Join(filepath.Dir(disk.Resolve(codex)), "..", "codex-resources", bubblewrapName)
	for _, path := range Real(own, systemBubblewrap) {
		return path
	}
	return ""
}

// openSandboxes lets programs inside ask for sandboxes.
func (j *Jail) openSandboxes() error {
	if j.scene.Bubblewrap == "" {
		return nil
	}
	var sockets socket.Server
	j.request.AtEnd(sockets.Close)
	return sockets.Listen(j.scene.Runtime, sandboxSocket, mostSandboxes, func(conn *net.UnixConn) { desk.Serve(conn, j.serveSandbox) })
}

// serveSandbox starts one sandbox beside the session.
func (j *Jail) serveSandbox(conn *net.UnixConn, r desk.Request, _ *bufio.Reader, streams []int) {
	at, err := commandIn(r.Command)
	if err == nil {
		// what a sandbox is to keep inside asks for no other one
		options := append(r.Command[:at:at], "--ro-bind", os.DevNull, filepath.Join(desk.RuntimeDir, sandboxSocket))
		args := slices.Concat([]string{strconv.Itoa(len(options))}, options, r.Command[at:])
		err = j.now.Beside(planOf(mount.TwoViews, r.Dir, bubblewrapPath, args, r.Env), conn, streams)
	}
	if err != nil {
		_ = desk.SayNotStarted(conn, err) // who asked may be gone
	}
}

// passedOn are the options of bubblewrap that a session may give, with the number of their arguments. No other one is passed on: those that
// keep capabilities, join namespaces, read more options, show what lies below a cover (overlays), or name a descriptor.
var passedOn = map[string]int{
	"--new-session": 0, "--die-with-parent": 0, "--as-pid-1": 0, "--unshare-user": 0, "--unshare-user-try": 0, "--unshare-pid": 0,
	"--unshare-ipc": 0, "--unshare-net": 0, "--unshare-uts": 0, "--clearenv": 0,
	"--chdir": 1, "--unsetenv": 1, "--argv0": 1, "--cap-drop": 1, "--uid": 1, "--gid": 1, "--hostname": 1,
	"--proc": 1, "--dev": 1, "--tmpfs": 1, "--dir": 1, "--remount-ro": 1, "--perms": 1, "--size": 1,
	"--setenv": 2, "--bind": 2, "--bind-try": 2, "--ro-bind": 2, "--ro-bind-try": 2, "--dev-bind": 2, "--dev-bind-try": 2,
	"--symlink": 2, "--chmod": 2,
}

// commandIn returns where the command begins in the arguments of bubblewrap.
func commandIn(args []string) (at int, err error) {
	for at < len(args) && strings.HasPrefix(args[at], "-") && args[at] != "--" {
		n, ok := passedOn[args[at]]
		if !ok {
			return 0, fmt.Errorf("a confined session cannot use %s", args[at])
		}
		at += 1 + n
	}
	if at >= len(args) {
		return 0, errors.New("the command is missing")
	}
	return at, nil
}

// startSandbox starts bubblewrap on this thread, lets it wait for us before it starts its program, and looks at the namespace that it has
// made by then. It has no environment of the session's, which could make it run another program.
func (p program) startSandbox() (pid int, err error) {
	n, err := strconv.Atoi(p.args[0])
	if err != nil {
		return 0, err
	}
	options := []string{"--die-with-parent", "--unshare-user", "--cap-drop", "ALL", "--info-fd", "3", "--block-fd", "4", "--seccomp", "6"}
	for _, variable := range p.env.With("PWD", p.dir) {
		if name, value, ok := strings.Cut(variable, "="); ok && name != "" {
			options = append(options, "--setenv", name, value)
		}
	}
	options = append(options, p.args[1:1+n]...)
	list, err1 := textFile([]byte(strings.Join(options, "\x00") + "\x00")) // others see arguments, and so the environment
	code, err2 := filter.Code()
	rules, err3 := textFile(code)
	info, told, err4 := os.Pipe()
	gate, opener, err5 := os.Pipe()
	for _, file := range []*os.File{list, rules, info, told, gate, opener} {
		defer file.Close()
	}
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return 0, err
	}
	// It has both ends of the gate, which stays shut where this process is killed.
	attr := p.attr(0, 1, 2, told.Fd(), gate.Fd(), list.Fd(), rules.Fd(), opener.Fd())
	attr.Env = nil
	pid, err = syscall.ForkExec(p.path, append([]string{bubblewrapName, "--args", "5"}, p.args[1+n:]...), attr)
	if err = errors.Join(err, told.Close()); err != nil {
		return 0, err
	}
	if err = check(info); err == nil {
		_, err = opener.Write([]byte{0})
	}
	if err != nil {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it ends with this process anyway
	}
	return pid, err
}

// check waits until the process that bubblewrap tells of has made its namespace and has no capability left to change it, and looks whether
// it keeps all covers. One that has ended is none of our concern: bubblewrap says why.
func check(info io.Reader) error {
	text, err := io.ReadAll(info)
	if err != nil {
		return err
	}
	child := regexp.MustCompile(`"child-pid": ([0-9]+)`).FindSubmatch(text)
	if child == nil {
		return nil
	}
	process, _ := strconv.Atoi(string(child[1])) // it is a number
	for {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
		if err != nil {
			return nil
		}
		if strings.Contains(string(status), "\nCapPrm:\t0000000000000000\n") {
			return mount.CheckMounts(process)
		}
		const tick = 200 * time.Microsecond // it needs some milliseconds
		time.Sleep(tick)
	}
}

// textFile returns a file in memory with the text.
func textFile(text []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("options", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	file := os.NewFile(uintptr(fd), "options")
	_, err = file.WriteAt(text, 0) // it is read from the beginning
	return file, err
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

// views returns how many mount namespaces programs of the session have.
func (j *Jail) views() string {
	if j.request.Policy.Nested {
		return mount.AnyViews
	}
	return mount.OneView
}
