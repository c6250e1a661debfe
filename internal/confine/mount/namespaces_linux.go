package mount

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/internal/session/supervise"
)

// enterNamespace keeps what is mounted here from the host, and what the host mounts later from here. The only namespace of cgroups is to be
// this process's: in one of its own a session could mount them, and kill or freeze what runs in its cgroup outside.
func enterNamespace() error {
	if err := os.WriteFile("/proc/sys/user/max_cgroup_namespaces", []byte("1"), 0); err != nil {
		return err
	}
	return os.NewSyscallError("mount", unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""))
}

// start starts the session's first process, which dies with this thread.
func (p Plan) start() (supervise.Child, error) {
	files := []uintptr{0, 1, 2, Status: Status}
	return startBelow(p.Program, p.Args, &syscall.ProcAttr{Env: p.Env, Files: files, Sys: below(sessionsOwn)})
}

// startBelow starts a program in the namespaces of its attributes.
func startBelow(program string, args []string, attr *syscall.ProcAttr) (c supervise.Child, err error) {
	err = Start(func() error {
		pid, err := syscall.ForkExec(program, args, attr)
		c = supervise.ChildOf(pid)
		return err
	})
	if err != nil {
		err = &os.PathError{Op: "run", Path: program, Err: err}
	}
	return c, err
}

// sessionsOwn are the namespaces that a session has beside those of users, mounts and processes. Network and cgroups are this process's.
const sessionsOwn = unix.CLONE_NEWIPC | unix.CLONE_NEWUTS

// below lets a child run in namespaces below these, in which it can call [Finish]. What is mounted there it can neither change nor take
// away.
func below(more uintptr) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Pdeathsig: syscall.SIGKILL, Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | more,
		UidMappings: ownID(os.Geteuid()), GidMappings: ownID(os.Getegid()),
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP},
	}
}

func ownID(id int) []syscall.SysProcIDMap {
	return []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
}

// Finish mounts /proc, which only a process in the session's namespaces can, and gives up all capabilities of this thread, which the caller
// has locked: what it runs later cannot get one either. No program inside can reach into the others.
func Finish() error {
	err := mountProc()
	if err == nil {
		err = dropCapabilities()
	}
	return err
}

func mountProc() error {
	fd, err := newMount("proc", "source=proc")
	if err != nil {
		return err
	}
	return attachTo(fd, "/proc")
}

// attachTo mounts what is mounted nowhere at a path.
func attachTo(fd int, path string) error {
	target, err := openIn(unix.AT_FDCWD, path)
	if err == nil {
		err = errors.Join(attach(fd, target), unix.Close(target))
	}
	return errors.Join(err, unix.Close(fd))
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

// dropCapabilities keeps nothing but, for root, what its own sandboxes need to map its number, as codex's does (CAP_SETFCAP,
// user_namespaces(7)).
func dropCapabilities() error {
	var kept [2]unix.CapUserData
	if os.Geteuid() == 0 {
		const bit = 1 << unix.CAP_SETFCAP
		kept[0] = unix.CapUserData{Effective: bit, Permitted: bit, Inheritable: bit}
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if kept[c/32].Permitted&(1<<(c%32)) != 0 {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) { // a kernel that does not know it
			return os.NewSyscallError("prctl", err)
		}
	}
	thread := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	return os.NewSyscallError("capset", unix.Capset(&thread, &kept[0]))
}
