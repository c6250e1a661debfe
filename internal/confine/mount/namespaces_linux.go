package mount

import (
	"encoding/gob"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
)

// start starts the plan's helper, which dies with this thread, with these descriptors and that of the program. The helper runs in
// namespaces below this process's, where it can call [Finish], and can neither change nor take away a mount. It shares this process's
// network and cgroups.
func (p Plan) start(fds ...int) (pid int, err error) {
	file, err := p.Program.inMemory()
	if err != nil {
		return 0, err
	}
	defer file.Close()
	attr := &syscall.ProcAttr{Sys: namespaces(
		unix.CLONE_NEWUSER|unix.CLONE_NEWNS|unix.CLONE_NEWPID|unix.CLONE_NEWIPC|unix.CLONE_NEWUTS,
		unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_SYS_RESOURCE, unix.CAP_SYS_CHROOT, unix.CAP_NET_ADMIN, // the last two for a sandbox
	)}
	for _, fd := range append(fds, int(file.Fd())) {
		attr.Files = append(attr.Files, uintptr(fd))
	}
	return startBelow(p.Helper, []string{HelperName}, attr)
}

// inMemory returns a file in memory for [ReadProgram]. A helper has neither arguments nor an environment: a dynamic linker, and Go, would
// obey words of the session before the process is under a filter.
func (p Program) inMemory() (*os.File, error) {
	fd, err := unix.MemfdCreate("program", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	file := os.NewFile(uintptr(fd), "program")
	err = gob.NewEncoder(file).Encode(p)
	_, err2 := file.Seek(0, io.SeekStart)
	return file, errors.Join(err, err2)
}

// ReadProgram reads the program that this helper is to start.
func ReadProgram(p *Program) error {
	file := os.NewFile(programFile, "program")
	defer file.Close()
	return gob.NewDecoder(file).Decode(p)
}

// namespaces returns the attributes of a process in new namespaces with these capabilities. The process dies with the thread that starts
// it, and has its caller's user and group alone.
func namespaces(flags uintptr, caps ...uintptr) *syscall.SysProcAttr {
	uid, gid := os.Geteuid(), os.Getegid()
	return &syscall.SysProcAttr{
		Pdeathsig: syscall.SIGKILL, Cloneflags: flags, AmbientCaps: caps,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}},
	}
}

// startBelow starts a program in the namespaces of its attributes. This process sets them up by files of /proc, so at that moment it must
// not be hidden from its own user, as bridges hide it.
func startBelow(program string, args []string, attr *syscall.ProcAttr) (pid int, err error) {
	if was, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err == nil && was == 0 {
		_ = unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) // both are always allowed
		defer func() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }()
	}
	if pid, err = syscall.ForkExec(program, args, attr); err != nil {
		return 0, &os.PathError{Op: "run", Path: program, Err: err}
	}
	return pid, nil
}

// limitNamespaces limits the number of namespaces of a kind in the user namespace of this process and all below. A kernel that lacks the
// kind makes none.
func limitNamespaces(kind, to string) error {
	return disk.Ignore(os.WriteFile("/proc/sys/user/max_"+kind+"_namespaces", []byte(to), 0), fs.ErrNotExist)
}

// most is the number of namespaces of a kind that a session can make: the user has a number, which other sessions need.
const most = "900"

// limitAll allows no further namespace of cgroups: in one a session could mount them, and kill or freeze programs of its cgroup outside;
// and so many of the other kinds, for the session and all that runs beside it.
func limitAll() error {
	err := limitNamespaces("cgroup", "1")
	for _, kind := range []string{"user", "uts", "ipc", "net", "pid", "time"} {
		err = errors.Join(err, limitNamespaces(kind, most))
	}
	return err
}

// Finish mounts /proc, limits the number of mount namespaces, and gives up all capabilities of this thread, which the caller has locked:
// programs that the thread starts later cannot get a capability either.
//
// No program renames a path that is covered in its own mount namespace (rename(2)); in one made inside the cover could be missing. So the
// program has no other one than the helper's, unless it is nested.
func Finish(p Program) error {
	views := "1"
	if p.Nested {
		views = most
	}
	return errors.Join(showProcesses(), limitNamespaces("mnt", views), dropCapabilities(p))
}

// showProcesses mounts /proc, which only a process in the session's namespaces can.
func showProcesses() error {
	err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	return os.NewSyscallError("mount proc", err)
}

// OwnNetwork puts this thread, which the caller has locked, into a network namespace of its own, before [Finish].
func OwnNetwork() error {
	return errors.Join(os.NewSyscallError("unshare", unix.Unshare(unix.CLONE_NEWNET)), loopback())
}

func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err == nil {
		lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
		err = unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
	}
	return os.NewSyscallError("ioctl SIOCSIFFLAGS", err)
}

// dropCapabilities keeps none but, for a nested program of root's, the capability by which its own sandboxes map its number (CAP_SETFCAP,
// user_namespaces(7)): a sandbox of codex's refuses to run with one.
func dropCapabilities(p Program) error {
	var kept [2]unix.CapUserData
	if os.Geteuid() == 0 && p.Nested {
		const bit = 1 << unix.CAP_SETFCAP
		kept[0] = unix.CapUserData{Effective: bit, Permitted: bit, Inheritable: bit}
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if kept[c/32].Permitted&(1<<(c%32)) != 0 {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) { // an older kernel lacks some
			return os.NewSyscallError("prctl", err)
		}
	}
	thread := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	return os.NewSyscallError("capset", unix.Capset(&thread, &kept[0]))
}
