package process

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// DescriptorsVisible: on this system the files that a process has open can be listed.
const DescriptorsVisible = true

// readProcesses returns the processes of the effective user, from one pass over /proc (proc(5)). It leaves out a process that ends
// meanwhile. The environment is empty if we may not read it: the process disabled its core dumps, or is setuid.
func readProcesses() ([]Process, error) {
	entries, err := readNames("/proc")
	if err != nil {
		return nil, err
	}
	var list []Process
	var buf []byte
	for _, name := range entries {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		var p Process
		p, buf, err = readProcess(pid, buf)
		switch {
		case err == nil:
			list = append(list, p)
		case isShortage(err):
			return nil, fmt.Errorf("%s cannot be read: %w", procDir(pid), err)
		}
	}
	return list, nil
}

// isShortage reports whether err would keep us from reading any process, unlike an error about this one, such as that it ended. A process
// that is left out because of a shortage could be the very one that uses the account.
func isShortage(err error) bool {
	shortages := []error{unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.EIO, unix.EINTR}
	return slices.ContainsFunc(shortages, func(short error) bool { return errors.Is(err, short) })
}

func readNames(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// readProcess returns what is needed of every process. It reads through buf, and returns that for the next call.
func readProcess(pid int, buf []byte) (Process, []byte, error) {
	dir := procDir(pid)
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return Process{}, buf, err
	}
	if st.Uid != uint32(os.Geteuid()) {
		return Process{}, buf, unix.EPERM // another user's
	}
	buf, err := readProc(dir+"/stat", buf)
	if err != nil {
		return Process{}, buf, err
	}
	p, err := parseStat(pid, string(buf))
	if err != nil {
		return Process{}, buf, err
	}
	if p.bare {
		return p, buf, nil
	}
	if buf, err = readOfProgram(pid, environ, buf); isShortage(err) {
		return Process{}, buf, err
	} else if err == nil {
		for entry := range bytes.SplitSeq(buf, []byte{0}) {
			p.env.keep(entry)
		}
	}
	return p, buf, nil
}

// parseStat returns the process that a line of /proc/<pid>/stat describes: the name is in parentheses and may hold anything; after it
// come the state (field 3), the parent, the group, the session and (field 22) the start time in clock ticks since the boot. For a zombie
// it returns os.ErrProcessDone, unless threads are left, which may hold locks.
func parseStat(pid int, text string) (Process, error) {
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return Process{}, fmt.Errorf("%s/stat has no name", procDir(pid))
	}
	f := strings.Fields(text[end+1:])
	if len(f) < 20 {
		return Process{}, fmt.Errorf("%s/stat has only %d fields", procDir(pid), len(f))
	}
	if f[0] == "X" || f[0] == "Z" && f[statThreads] <= "1" {
		return Process{}, os.ErrProcessDone
	}
	parent, err1 := strconv.Atoi(f[1])
	session, err2 := strconv.Atoi(f[3])
	start, err3 := strconv.ParseUint(f[19], 10, 64)
	p := Process{PID: pid, Command: text[open+1 : end], parent: parent, session: session, start: start}
	p.bare = len(f) > statVSize && f[statVSize] == "0"
	p.Stopped = f[0] == "T" || f[0] == "t"
	return p, errors.Join(err1, err2, err3)
}

// readProc returns the contents of a file under /proc, whose size cannot be asked for, in buf or in a longer buffer.
func readProc(file string, buf []byte) ([]byte, error) {
	fd, err := unix.Open(file, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return buf, err
	}
	defer unix.Close(fd)
	buf = buf[:0]
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, make([]byte, 1<<13)...)[:len(buf)]
		}
		n, err := unix.Read(fd, buf[len(buf):cap(buf)])
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return buf, err
		case n == 0:
			return buf, nil
		default:
			buf = buf[:len(buf)+n]
		}
	}
}

// describe adds what is needed only of the processes of an account: the program and its arguments.
func (p *Process) describe() {
	if exe, err := os.Readlink(procDir(p.PID) + "/exe"); err == nil {
		p.exe = strings.TrimSuffix(exe, " (deleted)") // an update replaces the program under its processes
	}
	line, err := readOfProgram(p.PID, cmdline, nil)
	if err != nil || len(line) == 0 {
		return
	}
	p.args = strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
	if p.args[0] != "" {
		p.Command = filepath.Base(p.args[0])
	}
}

// Current returns p as it is now. It fails with os.ErrProcessDone if p has ended, even when its pid was reused.
func (p Process) Current() (Process, error) {
	q, _, err := readProcess(p.PID, nil)
	if isShortage(err) {
		return Process{}, err
	}
	if err != nil || q.start != p.start {
		return Process{}, os.ErrProcessDone
	}
	q.account = p.account
	q.describe()
	return q, nil
}

// stat returns the file that p knows as path: from its root, which in a container is not ours, or from its working directory.
func (p Process) stat(path string) (fs.FileInfo, error) {
	if filepath.IsAbs(path) {
		return os.Stat(procDir(p.PID) + "/root" + path)
	}
	return os.Stat(procDir(p.PID) + "/cwd/" + path)
}

// program returns the file that p runs, even if it was replaced or removed since.
func (p Process) program() (fs.FileInfo, error) { return os.Stat(procDir(p.PID) + "/exe") }

// OpenFiles returns the paths of what p has open, as the kernel names them, by their links under /proc; nil if we may not read them.
func (p Process) OpenFiles() map[string]string {
	dir := procDir(p.PID) + "/fd"
	fds, err := readNames(dir)
	if err != nil {
		return nil
	}
	files := make(map[string]string, len(fds))
	for _, fd := range fds {
		if name, err := os.Readlink(dir + "/" + fd); err == nil {
			files[dir+"/"+fd] = name
		}
	}
	return files
}

// hasOpen reports whether p has file open. It looks closely only at descriptors with the file's name: a look at every one could hang on
// a network file system that is gone.
func (p Process) hasOpen(file fs.FileInfo) bool {
	for fd, name := range p.OpenFiles() {
		if filepath.Base(name) != file.Name() {
			continue
		}
		if info, err := os.Stat(fd); err == nil && os.SameFile(info, file) {
			return true
		}
	}
	return false
}

func procDir(pid int) string { return "/proc/" + strconv.Itoa(pid) }

// programFile is a file under /proc/<pid> about the program that the process runs. The kernel copies it from a range of the process's
// memory, whose bounds are fields of the file stat (proc_pid_stat(5)), counted here from the first one after the name.
type programFile struct {
	name       string
	start, end int
}

var (
	cmdline = programFile{"/cmdline", 45, 46}
	environ = programFile{"/environ", 47, 48}
)

// Three more fields: the number of threads; the size of the process's memory, 0 for a thread of the kernel and for a process that is
// ending; and the start of the program's code, which execve(2) sets last.
const (
	statThreads   = 17
	statVSize     = 20
	statStartCode = 23
)

const (
	execStep  = time.Millisecond
	execSteps = 1000 // a busy machine may suspend a process in the middle of execve(2)
)

// readOfProgram returns the contents of such a file. During an execve(2) the file is empty: the process has the new program's memory
// before the kernel knows where in it the arguments and the environment are. A process that is missed then may be the very one that uses
// the account, so an empty file is read again for up to a second.
func readOfProgram(pid int, file programFile, buf []byte) ([]byte, error) {
	for range execSteps {
		var err error
		if buf, err = readProc(procDir(pid)+file.name, buf); err != nil || len(buf) > 0 || !file.incomplete(pid) {
			return buf, err
		}
		time.Sleep(execStep)
	}
	return buf, nil
}

// incomplete reports whether the file, which was found empty, will have contents: its range is not empty, or not known yet.
func (file programFile) incomplete(pid int) bool {
	stat, err := readProc(procDir(pid)+"/stat", nil)
	if err != nil {
		return false
	}
	f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(f) <= file.end || f[statVSize] == "0" {
		return false
	}
	return f[statStartCode] == "0" || f[file.start] != f[file.end]
}

func peer(fd int) (pid, uid int, err error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return int(cred.Pid), int(cred.Uid), nil
}
