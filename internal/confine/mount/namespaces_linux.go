package mount

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
	"swop/internal/session/supervise"
)

// enterNamespace keeps what is mounted here from the host, and what the host mounts later from here. The only namespace of cgroups is to be
// this process's: in one of its own a session could mount them, and kill or freeze what runs in its cgroup outside.
func enterNamespace() error {
	err := os.WriteFile("/proc/sys/user/max_cgroup_namespaces", []byte("1"), 0)
	if err = disk.Ignore(err, fs.ErrNotExist); err != nil { // a kernel that has none
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

// ErrThreads is the error of [Finish] in a program that was built with cgo, as for the race detector, where all has been done, but only
// this thread has given up its capabilities: with exec(2) the others are gone.
var ErrThreads = errors.New("other threads keep capabilities")

// Finish mounts /proc, which only a process in the session's namespaces can, and gives up all capabilities, on all threads. What
// this thread runs later cannot get one either: the caller has locked it.
func Finish() error {
	err := mountProc()
	if err == nil {
		err = dropCapabilities()
	}
	return err
}

func mountProc() error {
	fd, err := newMount("proc", "source=proc")
	if err == nil {
		err = attachTo(fd, "/proc")
	}
	if err != nil || os.Geteuid() != 0 {
		return err
	}
	for _, name := range []string{"sys", "sysrq-trigger", "irq", "bus"} { // root owns the files there, whatever capabilities it lacks
		source, err := openIn(unix.AT_FDCWD, "/proc/"+name)
		if err == nil {
			fd, err = clone(source, Readonly)
			err = errors.Join(err, unix.Close(source))
		}
		if err == nil {
			err = attachTo(fd, "/proc/"+name)
		}
		if disk.Ignore(err, fs.ErrNotExist) != nil {
			return err
		}
	}
	return nil
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
	_, _, errno := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&thread)), uintptr(unsafe.Pointer(&kept[0])), 0)
	switch {
	case errno == unix.ENOTSUP:
		return cmp.Or(os.NewSyscallError("capset", unix.Capset(&thread, &kept[0])), ErrThreads)
	case errno != 0:
		return os.NewSyscallError("capset", errno)
	}
	return nil
}

// tryInside is the second step of a trial.
const tryInside = "inside"

// Trial are the arguments by which this process, started as [Namespaces] says, finds out whether sessions can be made here. It says what is
// wrong on standard error, and exits with another status than 0.
func Trial() []string { return []string{Name, "mounts"} }

// Try is the process called [Name] with arguments: see [Trial].
func Try(step string) int {
	runtime.LockOSThread() // the next one dies with this thread, and has what it keeps
	if step == tryInside {
		return failed(disk.Ignore(Finish(), ErrThreads))
	}
	t := tree{}
	err := t.enter(Mount{Kind: Writable, Source: "/", Target: "/"})
	if err == nil {
		err = loopback()
	}
	if err != nil {
		return failed(err)
	}
	child, err := startBelow("/proc/self/exe", []string{Name, tryInside}, &syscall.ProcAttr{Files: []uintptr{0, 1, 2}, Sys: below(sessionsOwn)})
	if err != nil {
		return failed(err)
	}
	status, err := child.End()
	if err == nil {
		return status.ExitStatus()
	}
	return failed(err)
}

// failed says what is wrong, if anything is, and returns the exit status.
func failed(err error) int {
	if err == nil {
		return 0
	}
	_, _ = fmt.Fprintln(os.NewFile(2, "messages"), err) // the exit status says that it failed
	return 125
}
