package process

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// DescriptorsVisible: the files that a process has open cannot be listed with sysctl(3).
const DescriptorsVisible = false

// ListProcesses returns the processes of the effective user, from the sysctls kern.proc.uid and kern.procargs2. The system closes
// the environment of its own programs (a shell, sleep) even to their owner; codex's is open. Unproven: built, never run on a Mac.
func ListProcesses() ([]Process, error) {
	infos, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Geteuid())
	if err != nil {
		return nil, os.NewSyscallError("sysctl kern.proc.uid", err)
	}
	list := make([]Process, 0, len(infos))
	for i := range infos {
		list = append(list, fromKinfo(&infos[i]))
	}
	return list, nil
}

func fromKinfo(k *unix.KinfoProc) Process {
	pid := int(k.Proc.P_pid)
	p := Process{
		PID:     pid,
		Command: unix.ByteSliceToString(k.Proc.P_comm[:]),
		Parent:  int(k.Eproc.Ppid),
		Start:   uint64(k.Proc.P_starttime.Sec)*1_000_000 + uint64(k.Proc.P_starttime.Usec),
	}
	if session, err := unix.Getsid(pid); err == nil {
		p.session = session
	}
	if block, err := unix.SysctlRaw("kern.procargs2", pid); err == nil {
		p.readArgs(block)
	}
	return p
}

// readArgs reads a kern.procargs2 block: the number of arguments as an int, the program's path, NULs, the arguments, the environment,
// each ended by a NUL.
func (p *Process) readArgs(block []byte) {
	if len(block) < 4 {
		return
	}
	argc := int(binary.NativeEndian.Uint32(block))
	path, rest, _ := bytes.Cut(block[4:], []byte{0})
	p.exe = string(path)
	fields := bytes.Split(bytes.TrimLeft(rest, "\x00"), []byte{0})
	if argc <= 0 || argc > len(fields) {
		return
	}
	for _, arg := range fields[:argc] {
		p.args = append(p.args, string(arg))
	}
	if p.args[0] != "" {
		p.Command = filepath.Base(p.args[0])
	}
	for _, entry := range fields[argc:] {
		p.Env.keep(string(entry))
	}
}

// describe has nothing to add here.
func (p *Process) describe() {}

// Again reads p anew. It fails with fs.ErrNotExist if p has ended, even when its pid was given to another process.
func (p Process) Again() (Process, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", p.PID)
	if err != nil || k.Eproc.Ucred.Uid != uint32(os.Geteuid()) {
		return Process{}, fs.ErrNotExist
	}
	q := fromKinfo(k)
	if q.PID != p.PID || q.Start != p.Start {
		return Process{}, fs.ErrNotExist
	}
	q.account = p.account
	return q, nil
}

// stat looks at path as p would. The working directory of another process is not known here.
func (p Process) stat(path string) (fs.FileInfo, error) {
	if !filepath.IsAbs(path) {
		return nil, fs.ErrNotExist
	}
	return os.Stat(path)
}

// program returns the identity of the file that p runs.
func (p Process) program() (fs.FileInfo, error) { return os.Stat(p.exe) }

func (p Process) Open() map[string]string { return nil }

// hasOpen says whether p has file open; of another process than this one that is not known, and false.
func (p Process) hasOpen(file fs.FileInfo) bool {
	if p.PID != os.Getpid() {
		return false
	}
	fds, err := os.ReadDir("/dev/fd")
	if err != nil {
		return false
	}
	return slices.ContainsFunc(fds, func(fd fs.DirEntry) bool {
		n, err := strconv.Atoi(fd.Name())
		return err == nil && isOpenAs(n, file)
	})
}

func isOpenAs(fd int, file fs.FileInfo) bool {
	var st unix.Stat_t
	want, ok := file.Sys().(*syscall.Stat_t)
	return ok && unix.Fstat(fd, &st) == nil && st.Dev == want.Dev && st.Ino == want.Ino
}
