// Package filter keeps programs from system calls that lead out of a confined session's namespaces, by a static filter and Landlock's
// scopes. It makes no call in a program's place.
package filter

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// scopesVersion is the version of Landlock that keeps signals and abstract sockets in a domain (landlock(7)).
const scopesVersion = 6

// HasScopes reports whether the kernel has Landlock's scopes, which a session on this machine's own network needs.
func HasScopes() bool {
	n, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	return errno == 0 && n >= scopesVersion
}

// Signals says what keeps signals in the session.
func Signals() string {
	if HasScopes() {
		return "Landlock"
	}
	return "the filter of system calls"
}

// Install puts this thread, and all that it starts, under the filter, which refuses none of the calls that are excepted. It cannot be
// undone: the caller has locked the thread.
func Install(excepted ...uint32) error {
	scoped := HasScopes()
	err := errors.Join(unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), dropSockets())
	if err == nil && scoped {
		err = enterScopes()
	}
	if err != nil {
		return err
	}
	code, err := Code(excepted...)
	if err != nil {
		return err
	}
	length := len(code) / unix.SizeofSockFilter
	list := unix.SockFprog{Len: uint16(length), Filter: (*unix.SockFilter)(unsafe.Pointer(unsafe.SliceData(code)))}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&list))); errno != 0 {
		return os.NewSyscallError("seccomp", errno)
	}
	return nil
}

// Code returns the filter as the kernel takes it, for a program that puts another one under it. It refuses none of the calls that are
// excepted.
func Code(excepted ...uint32) ([]byte, error) {
	code, err := bpf.Assemble(program(runtime.GOARCH, !HasScopes(), excepted...))
	var text []byte
	for _, i := range code { // struct sock_filter
		text = binary.NativeEndian.AppendUint16(text, i.Op)
		text = binary.NativeEndian.AppendUint32(append(text, i.Jt, i.Jf), i.K)
	}
	return text, err
}

// dropSockets puts /dev/null in the place of standard streams that belong to the network outside: they could be connected again there.
func dropSockets() error {
	for fd := range 3 {
		domain, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
		kind, _ := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
		if err != nil || domain == unix.AF_UNIX && kind != unix.SOCK_DGRAM {
			continue
		}
		null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err = errors.Join(err, unix.Dup3(null, fd, 0), unix.Close(null)); err != nil {
			return err
		}
	}
	return nil
}

// enterScopes puts the thread into a Landlock domain from which no signal leads out, and nothing to an abstract socket. It has no right to
// files: with one, nothing in the domain could mount, as codex's own sandbox does.
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
