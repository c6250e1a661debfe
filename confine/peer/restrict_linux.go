package peer

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// scopesVersion is the version of Landlock that keeps signals in a domain (landlock(7)).
const scopesVersion = 6

// listening are the flags of the filter: the kernel passes calls to a listener, and a caller waits for the answer without being interrupted.
const listening = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV

// Missing says what this system lacks, "" for nothing.
func Missing() string {
	if _, ok := machines[runtime.GOARCH]; !ok {
		return "no filter of system calls is known for " + runtime.GOARCH
	}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, listening, 0); errno != unix.EFAULT { // it knows the flags
		return "the kernel cannot let another process make connections (seccomp's WAIT_KILLABLE_RECV): Linux 5.19 is needed"
	}
	if scope, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope"); err == nil && strings.TrimSpace(string(scope)) == "3" {
		return "kernel.yama.ptrace_scope is 3, which lets no process make connections for another; it can be lowered only by a restart"
	}
	return ""
}

// Signals says what keeps signals in the session.
func Signals() string {
	if landlockVersion() >= scopesVersion {
		return "Landlock"
	}
	return "the filter of system calls"
}

// Restrict puts this thread, and all that it starts, under the filter, and returns the listener for [Serve]. It cannot be undone: the caller
// has locked the thread. No program under it may be able to trace one that is not.
func Restrict() (listener *os.File, err error) {
	scoped := landlockVersion() >= scopesVersion
	err = errors.Join(unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), dropDatagrams())
	if err == nil && scoped {
		err = enterScopes()
	}
	if err != nil {
		return nil, err
	}
	program, err := bpf.Assemble(filter(runtime.GOARCH, !scoped))
	if err != nil {
		return nil, err
	}
	list := unix.SockFprog{Len: uint16(len(program)), Filter: (*unix.SockFilter)(unsafe.Pointer(unsafe.SliceData(program)))} // which it is
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, listening, uintptr(unsafe.Pointer(&list)))
	if errno != 0 {
		return nil, os.NewSyscallError("seccomp", errno)
	}
	return os.NewFile(fd, "listener"), nil
}

// dropDatagrams puts /dev/null in the place of standard streams that can send to any socket.
func dropDatagrams() error {
	for fd := range 3 {
		domain, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
		if kind, _ := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE); err != nil || domain != unix.AF_UNIX || kind != unix.SOCK_DGRAM {
			continue
		}
		null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err == nil {
			err = errors.Join(unix.Dup3(null, fd, 0), unix.Close(null))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// landlockVersion returns the kernel's version of Landlock, 0 for none.
func landlockVersion() int {
	n, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(n)
}

// enterScopes puts the thread into a Landlock domain from which no signal leads out, and nothing to an abstract socket. It has no right to
// files: with one, that to look up Unix sockets too, nothing in the domain could mount, as codex's own sandbox does.
func enterScopes() error {
	rules := unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules), 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	defer unix.Close(int(fd))
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}
