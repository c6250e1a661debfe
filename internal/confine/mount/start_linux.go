package mount

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Namespaces starts a process in namespaces of its own in which it may mount, by [Start], and which has a network of its own unless it
// shall have this one. It dies with the thread that starts it.
func Namespaces(ownNetwork bool) *syscall.SysProcAttr {
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP)
	if ownNetwork {
		flags |= unix.CLONE_NEWNET
	}
	return &syscall.SysProcAttr{
		Pdeathsig: syscall.SIGKILL, Cloneflags: flags,
		UidMappings: ownID(os.Geteuid()), GidMappings: ownID(os.Getegid()),
		// CAP_SYS_RESOURCE is to limit the number of namespaces, and CAP_NET_ADMIN for the loopback.
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SYS_CHROOT, unix.CAP_SYS_RESOURCE, unix.CAP_NET_ADMIN},
	}
}

// Start starts, by start, a child whose namespaces this process sets up by the files of /proc: for those, it must not be hidden from its
// own user at that moment, as bridges want it.
func Start(start func() error) error {
	was, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	if err == nil && was == 0 {
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0); err != nil {
			return os.NewSyscallError("prctl", err)
		}
		defer func() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }() // it may always be lowered
	}
	return start()
}
