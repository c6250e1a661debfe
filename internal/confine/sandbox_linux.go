package confine

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/confine/desk"
	"swop/internal/confine/mount"
	"swop/internal/disk"
)

// A program inside makes no mount namespace: in one of its own it would see what is covered. Codex's own sandbox is a bubblewrap, which
// needs one. So the name bwrap inside leads to swop, which asks the supervisor for a program beside the session. The program's helper makes
// the mounts that the arguments of bubblewrap say, over all that the session has.
const (
	bubblewrapName = "bwrap"              // also what such a helper is to start
	sandboxDir     = programsDir + "/bin" // has the name
	sandboxSocket  = "sandbox.sock"

	systemBubblewrap = "/usr/bin/bwrap" // where releases before 0.128 look

	mostSandboxes = 64 // that are being started
)

// serveSandbox starts one sandbox beside the session.
func (j *Jail) serveSandbox(conn *net.UnixConn, r desk.Request, _ *bufio.Reader, streams []int) {
	p := j.program(r.Dir, bubblewrapName, r.Command, r.Env)
	p.Nested = false // its covers are its own
	if err := j.now.Beside(mount.Plan{Helper: HelperPath, Program: p}, conn, streams); err != nil {
		_ = desk.SayNotStarted(conn, err) // who asked may be gone
	}
}

// options are those of bubblewrap that a session may give, with the number of their arguments. All others are refused: those that keep
// capabilities, join namespaces, read more options, show what lies below a cover (overlays), or name a descriptor.
var options = map[string]int{
	"--die-with-parent": 0, "--as-pid-1": 0, "--unshare-user": 0, "--unshare-user-try": 0, "--unshare-pid": 0, "--unshare-ipc": 0,
	"--unshare-uts": 0, "--cap-drop": 1, // each sandbox is as if they were given
	"--new-session": 0, "--unshare-net": 0, "--chdir": 1, "--argv0": 1, "--setenv": 2, "--unsetenv": 1, "--clearenv": 0,
	"--bind": 2, "--bind-try": 2, "--ro-bind": 2, "--ro-bind-try": 2, "--dev-bind": 2, "--dev-bind-try": 2,
	"--proc": 1, "--dev": 1, "--perms": 1, "--tmpfs": 1, "--remount-ro": 1, "--dir": 1, "--symlink": 2,
}

// kinds are those of the options that make a mount, or an entry.
var kinds = map[string]mount.Kind{
	"--bind": mount.Writable, "--ro-bind": mount.Readonly, "--dev-bind": mount.Device,
	"--proc": mount.Processes, "--tmpfs": mount.Empty, "--remount-ro": mount.Sealed, "--dir": mount.Directory, "--symlink": mount.Link,
}

// sandbox is what the arguments of bubblewrap say.
type sandbox struct {
	mount.Program
	perms  string        // of the next empty directory, "" for the usual ones
	mounts []mount.Mount // the first one shows all that the session has
	own    []string      // the directories in which the session makes sockets
}

// enterSandbox makes the sandbox that the program's arguments say, and returns the program that runs in the sandbox.
func enterSandbox(p mount.Program) (mount.Program, error) {
	s := sandbox{Program: p, own: p.Sockets}
	s.Sockets = nil // the program could mount what others see where the session makes sockets
	err := s.read(p.Args)
	if err == nil {
		err = mount.Enter(s.mounts)
	}
	if err == nil {
		if os.Chdir(s.Dir) != nil && s.Dir == p.Dir {
			s.Dir = "/" // the session's directory is not there
		}
		s.Path, err = disk.OnPath(s.Path, s.Env.Value("PATH"))
	}
	return s.Program, err
}

// read reads the arguments. The network is made at once.
func (s *sandbox) read(args []string) (err error) {
	dir, name := s.Dir, ""
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "--" {
		n, ok := options[args[0]]
		if !ok || len(args) <= n {
			return cannotUse(args[0])
		}
		switch option, of := args[0], args[1:n+1]; option {
		case "--new-session":
			s.OwnSession = true
		case "--unshare-net":
			err = mount.OwnNetwork()
		case "--chdir":
			dir = filepath.Join("/", of[0])
		case "--argv0":
			name = of[0]
		case "--setenv":
			s.Env = s.Env.With(of[0], of[1])
		case "--unsetenv":
			s.Env = s.Env.Without(of[0])
		case "--clearenv":
			s.Env = nil
		case "--perms":
			s.perms = of[0]
			if _, wrong := strconv.ParseUint(s.perms, 8, 12); wrong != nil {
				err = cannotUse("--perms " + s.perms)
			}
		case "--dev":
			if of[0] != "/dev" {
				return cannotUse("--dev " + of[0])
			}
			of := Scene{rules: map[string]mount.Mount{}}
			of.devices()
			s.mounts = append(s.mounts, of.sorted("/")...)
		default:
			err = s.show(option, of)
		}
		if err != nil {
			return err
		}
		args = args[n+1:]
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return errors.New("the command is missing")
	}
	s.Dir, s.Path, s.Args = dir, args[0], append([]string{cmp.Or(name, args[0])}, args[1:]...)
	return s.finish()
}

// finish checks that all of the session is in the sandbox, and covers what a program in a sandbox would ask for a wider one.
func (s *sandbox) finish() error {
	isRoot := func(m mount.Mount) bool { return m.Target == "/" }
	if len(s.mounts) == 0 || s.mounts[0].Source != "/" || !isRoot(s.mounts[0]) || slices.ContainsFunc(s.mounts[1:], isRoot) {
		return errors.New("a sandbox in a confined session begins with --ro-bind / /, and mounts nothing more on /")
	}
	s.mounts = append(s.mounts, mount.Mount{Kind: mount.Readonly, Source: os.DevNull, Target: filepath.Join(desk.RuntimeDir, sandboxSocket)})
	return nil
}

func cannotUse(option string) error { return fmt.Errorf("a confined session cannot use %s", option) }

// show adds what an option mounts. Its paths are looked up here, in the session, and lead through no link when they are mounted.
func (s *sandbox) show(option string, of []string) error {
	option, optional := strings.CutSuffix(option, "-try")
	kind, mounts := kinds[option]
	if !mounts {
		return nil // each sandbox is so
	}
	m := mount.Mount{Kind: kind, Source: of[0], Target: disk.Resolve("/" + of[len(of)-1])}
	switch {
	case kind == mount.Empty:
		m.Source, s.perms = s.perms, ""
	case s.perms != "":
		return cannotUse("--perms with " + option)
	case strings.HasSuffix(option, "bind"):
		if !filepath.IsAbs(m.Source) {
			m.Source = s.Dir + "/" + m.Source
		}
		if m.Source = disk.Resolve(m.Source); optional && !disk.At(m.Source).Exists() {
			return nil
		}
		// by a descriptor of something of elsewhere there the session would make a socket
		if m.Source != m.Target && m.Source != os.DevNull && (s.ofSockets(m.Source) || s.ofSockets(m.Target)) {
			return fmt.Errorf("%s cannot be at %s: in a directory where the session makes sockets all is in its own place", m.Source, m.Target)
		}
	}
	s.mounts = append(s.mounts, m)
	return nil
}

// ofSockets reports whether a path is, is in, or has in it a directory in which the session makes sockets.
func (s *sandbox) ofSockets(path string) bool {
	return slices.ContainsFunc(s.own, func(dir string) bool { return config.Within(dir, path) || config.Within(path, dir) })
}

// askForSandbox is bwrap inside a session. It returns the exit status.
func askForSandbox(args []string, env config.Env) int {
	if len(args) == 1 && (args[0] == "--help" || args[0] == "--version") { // codex asks which options there are
		fmt.Println("bwrap of swop: bwrap OPTION... [--] COMMAND, with", strings.Join(slices.Sorted(maps.Keys(options)), ", "))
		return 0
	}
	dir, _ := unix.Getwd() // one that was removed is not in the sandbox
	asking, err := desk.Connect(sandboxSocket, desk.Request{Ask: desk.Ask{Command: args}, Dir: dir, Env: env})
	var status int
	if err == nil {
		status, err = asking.Attend()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, bubblewrapName+":", err)
		return 1
	}
	return status
}
