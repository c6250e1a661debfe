package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
	"swop/shim"
)

// Process is a live process of this user. Its identity is the pid together with the start time: the system reuses a pid.
type Process struct {
	PID     int
	Command string // the last component of argv[0], else the kernel's name for it; another program chose it
	Stopped bool

	parent  int
	session int    // the pid of the session's leader: PID itself for a daemon
	start   uint64 // by the system's own clock; only for comparison
	exe     string // the program's path, "" if it cannot be read
	args    []string
	home    fs.FileInfo // the directory that is its codex home, nil where that cannot be seen
	inTurn  bool        // it has CODEX_THREAD_ID: codex gives it to the commands of a turn (since 0.132), not to MCP servers
}

// Survey has the processes of this user, by pid, and answers for many accounts: with a thousand accounts, a pass over /proc for each would
// take seconds.
type Survey map[int]Process

// TakeSurvey returns the processes of this user as they are now, from one pass over /proc (proc(5)). It leaves out a process that ends
// meanwhile. The environment is unknown if we may not read it: the process disabled its core dumps, or is setuid.
func TakeSurvey() (Survey, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	s := Survey{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		p, err := readProcess(pid)
		switch {
		case err == nil:
			s[pid] = p
		case isShortage(err):
			return nil, fmt.Errorf("%s cannot be read: %w", procDir(pid), err)
		}
	}
	return s, nil
}

// isShortage reports whether err keeps us from reading any process, unlike an error about this one, such as that it ended. A process that
// is left out because of a shortage could be the very one that uses the account.
func isShortage(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) || errors.Is(err, unix.ENOMEM)
}

func readProcess(pid int) (Process, error) {
	dir := procDir(pid)
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return Process{}, err
	}
	if st.Uid != uint32(os.Geteuid()) {
		return Process{}, unix.EPERM // another user's
	}
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return Process{}, err
	}
	p, err := parseStat(pid, string(stat))
	if err != nil {
		return Process{}, err
	}
	if exe, err := os.Readlink(dir + "/exe"); err == nil {
		p.exe = strings.TrimSuffix(exe, " (deleted)") // an update replaces the program under its processes
	}
	args, err1 := readList(dir + "/cmdline")
	environ, err2 := readList(dir + "/environ")
	if err := errors.Join(err1, err2, p.describe(args, environ)); isShortage(err) {
		return Process{}, err
	}
	return p, nil
}

// readList returns a list of strings that a process was started with, each with a NUL at its end. A process can say that it has a longer
// one than execve(2) takes (PR_SET_MM_MAP, prctl(2)).
func readList(file string) (string, error) {
	return disk.ReadFile(file, 6<<20)
}

// value returns the value of a variable in the text of an environment, "" if it is unset.
func value(environ, name string) string {
	_, after, _ := strings.Cut("\x00"+environ, "\x00"+name+"=")
	text, _, _ := strings.Cut(after, "\x00")
	return strings.Clone(text)
}

// Above returns the processes above this one, the parent first, as far as they can be read.
func Above() (up []shim.Ancestor) {
	for pid := os.Getppid(); pid > 0; {
		stat, err := os.ReadFile(procDir(pid) + "/stat")
		p, bad := parseStat(pid, string(stat))
		if err != nil || bad != nil {
			break
		}
		exe, _ := os.Readlink(procDir(pid) + "/exe") // "" for another user's process
		environ, _ := readList(procDir(pid) + "/environ")
		up = append(up, shim.Ancestor{PID: pid, Program: filepath.Base(exe), Guard: value(environ, shim.GuardVariable)})
		pid = p.parent
	}
	return up
}

// parseStat returns the process that a line of /proc/<pid>/stat describes: the name is in parentheses and may hold anything; after it
// come the state (field 3), the parent, the group, the session and (field 22) the start time in clock ticks since the boot. For a zombie
// it returns os.ErrProcessDone, unless threads are left (field 20), which may hold locks.
func parseStat(pid int, text string) (Process, error) {
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return Process{}, fmt.Errorf("%s/stat has no name", procDir(pid))
	}
	f := strings.Fields(text[end+1:])
	if len(f) < 20 {
		return Process{}, fmt.Errorf("%s/stat has only %d fields", procDir(pid), len(f))
	}
	if f[0] == "X" || f[0] == "Z" && f[17] <= "1" {
		return Process{}, os.ErrProcessDone
	}
	parent, err1 := strconv.Atoi(f[1])
	session, err2 := strconv.Atoi(f[3])
	start, err3 := strconv.ParseUint(f[19], 10, 64)
	p := Process{PID: pid, Command: text[open+1 : end], Stopped: f[0] == "T", parent: parent, session: session, start: start}
	return p, errors.Join(err1, err2, err3)
}

// describe adds the facts in the arguments and the environment, each text with a NUL at its end. The rest of the environment, which may
// hold secrets, is dropped.
func (p *Process) describe(args, environ string) (err error) {
	if args != "" {
		const most = 1 << 12 // what servers are known by is at the front
		p.args = strings.Split(strings.TrimSuffix(strings.Clone(args[:min(len(args), most)]), "\x00"), "\x00")
		if p.args[0] != "" {
			p.Command = filepath.Base(p.args[0])
		}
	}
	p.inTurn = value(environ, "CODEX_THREAD_ID") != ""
	codexHome := value(environ, "CODEX_HOME")
	if home := value(environ, "HOME"); codexHome == "" && home != "" && p.isCodex() { // HOME alone is that of every program
		codexHome = filepath.Join(home, ".codex")
	}
	if codexHome != "" {
		p.home, err = p.find(codexHome)
	}
	return err
}

// find returns the file that p knows as path: from p's root, which in a container or a confined session is another one, or from p's
// working directory. A link on the way leads out of neither.
func (p Process) find(path string) (fs.FileInfo, error) {
	from := procDir(p.PID) + "/root"
	if !filepath.IsAbs(path) {
		from = procDir(p.PID) + "/cwd"
	}
	dir, err := os.OpenFile(from, unix.O_PATH, 0)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	fd, err := unix.Openat2(int(dir.Fd()), path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT})
	if errors.Is(err, unix.ENOSYS) { // before Linux 5.6, where no session is confined
		return os.Stat(from + "/" + path)
	}
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), path)
	defer file.Close()
	return file.Stat()
}

// current returns p as it is now. It fails with os.ErrProcessDone if p has ended, even when its pid was reused.
func (p Process) current() (Process, error) {
	q, err := readProcess(p.PID)
	if isShortage(err) {
		return Process{}, err
	}
	if err != nil || q.start != p.start {
		return Process{}, os.ErrProcessDone
	}
	return q, nil
}

// openFiles returns p's open files that pass, by the names that the kernel gives them under /proc. It looks closely at those alone: a look
// at every one could hang on a network file system that is gone.
func (p Process) openFiles(pass func(name string) bool) (files []fs.FileInfo, err error) {
	dir := procDir(p.PID) + "/fd/"
	fds, err := os.ReadDir(dir)
	for _, fd := range fds {
		if name, err := os.Readlink(dir + fd.Name()); err != nil || !pass(name) {
			continue
		}
		if info, err := os.Stat(dir + fd.Name()); err == nil {
			files = append(files, info)
		}
	}
	return files, err
}

// hasOpen reports whether p is seen to have file open.
func (p Process) hasOpen(file fs.FileInfo) bool {
	named, _ := p.openFiles(func(name string) bool { return filepath.Base(name) == file.Name() })
	return slices.ContainsFunc(named, func(open fs.FileInfo) bool { return os.SameFile(open, file) })
}

func procDir(pid int) string { return "/proc/" + strconv.Itoa(pid) }
