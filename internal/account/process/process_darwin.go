package process

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// DescriptorsVisible: on this system the files that a process has open cannot be listed, because sysctl(3) does not tell them.
const DescriptorsVisible = false

// readProcesses returns the processes of the effective user, from the sysctls kern.proc.uid and kern.procargs2. It leaves out those that
// have ended and were not yet waited for. The system hides the environment of its own programs (a shell, sleep) even from their owner,
// but not codex's. Unproven: built, never run on a Mac.
func readProcesses() ([]Process, error) {
	infos, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Geteuid())
	if err != nil {
		return nil, os.NewSyscallError("sysctl kern.proc.uid", err)
	}
	list := make([]Process, 0, len(infos))
	for i := range infos {
		if infos[i].Proc.P_stat != stateZombie {
			list = append(list, fromKinfo(&infos[i]))
		}
	}
	return list, nil
}

// stateZombie is SZOMB of <sys/proc.h>: the process has ended, and its parent did not wait for it yet.
const stateZombie = 5

func fromKinfo(k *unix.KinfoProc) Process {
	pid := int(k.Proc.P_pid)
	p := Process{
		PID:     pid,
		Command: unix.ByteSliceToString(k.Proc.P_comm[:]),
		parent:  int(k.Eproc.Ppid),
		start:   uint64(k.Proc.P_starttime.Sec)*1_000_000 + uint64(k.Proc.P_starttime.Usec),
	}
	if session, err := unix.Getsid(pid); err == nil {
		p.session = session
	}
	if block, err := unix.SysctlRaw("kern.procargs2", pid); err == nil {
		p.readArgs(block)
	}
	return p
}

// describe has nothing to add: readArgs has read it.
func (p *Process) describe() {}

// Current returns p as it is now. It fails with os.ErrProcessDone if p has ended, even when its pid was reused.
func (p Process) Current() (Process, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", p.PID)
	if err != nil || k.Proc.P_stat == stateZombie || k.Eproc.Ucred.Uid != uint32(os.Geteuid()) {
		return Process{}, os.ErrProcessDone
	}
	q := fromKinfo(k)
	if q.PID != p.PID || q.start != p.start {
		return Process{}, os.ErrProcessDone
	}
	q.account = p.account
	return q, nil
}

// stat returns the file that p knows as path, if that is absolute: the working directory of another process is not known.
func (p Process) stat(path string) (fs.FileInfo, error) {
	if !filepath.IsAbs(path) {
		return nil, fs.ErrNotExist
	}
	return os.Stat(path)
}

// program returns the file at the path of the program that p runs.
func (p Process) program() (fs.FileInfo, error) { return os.Stat(p.exe) }

// OpenFiles returns nil: see DescriptorsVisible.
func (p Process) OpenFiles() map[string]string { return nil }

// hasOpen reports whether p is this process and has file open; of another process that is not known.
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

// Unproven: built, never run on a Mac.
func peer(fd int) (pid, uid int, err error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	return pid, int(cred.Uid), err
}
