// Package filter keeps programs from system calls that lead out of a confined session's namespaces, by a static filter and Landlock's
// scopes. It makes no call in a program's place.
package filter

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// versionOf returns the version of Landlock that the kernel has, -1 for none.
func versionOf() int {
	n, _, _ := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION) // -1 is the error's
	return int(n)
}

// HasScopes reports whether the kernel has a Landlock that keeps signals and abstract sockets in a domain, version 6 (landlock(7)), which a
// session on this machine's own network needs.
func HasScopes() bool { return versionOf() >= 6 }

// Install puts this thread, and all programs that it starts, under the filter. Nothing undoes that: the caller has locked the thread.
func Install() error {
	if err := errors.Join(unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), dropSockets()); err != nil {
		return err
	}
	code, err := bpf.Assemble(program(!HasScopes()))
	if err != nil {
		return err
	}
	var list []unix.SockFilter
	for _, i := range code {
		list = append(list, unix.SockFilter{Code: i.Op, Jt: i.Jt, Jf: i.Jf, K: i.K})
	}
	filter := unix.SockFprog{Len: uint16(len(list)), Filter: &list[0]}
	err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&filter)), 0, 0)
	return os.NewSyscallError("prctl", err)
}

// dropSockets puts /dev/null in the place of standard streams that belong to the network outside: a program could connect such a stream
// again there.
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

// KeepsSockets reports whether the kernel has a Landlock that lets files be moved to another directory, version 2 (landlock(7)): without, a
// session makes sockets wherever it can write.
func KeepsSockets() bool { return versionOf() >= 2 }

// Enter puts this thread, which can get no privilege by exec, into a Landlock domain from which no signal leads out, and nothing to an
// abstract socket, as far as the kernel has such rules. If it limits sockets, a program in the domain mounts nothing, and makes sockets in
// dirs alone, by whatever mount it comes there: so no session passes a descriptor to another one, which could rename covered entries of the
// first one's mount namespace (rename(2)).
func Enter(limitsSockets bool, dirs ...string) error {
	var attr unix.LandlockRulesetAttr
	if HasScopes() {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	if KeepsSockets() && limitsSockets {
		attr.Handled_access_fs = unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_REFER
	}
	if attr == (unix.LandlockRulesetAttr{}) {
		return nil
	}
	rules, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	defer unix.Close(int(rules))
	if attr.Handled_access_fs != 0 {
		err := allowBelow(rules, "/", unix.LANDLOCK_ACCESS_FS_REFER)
		for _, dir := range dirs {
			err = errors.Join(err, allowBelow(rules, dir, attr.Handled_access_fs))
		}
		if err != nil {
			return err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}

func allowBelow(rules uintptr, dir string, access uint64) error {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: dir, Err: err}
	}
	defer unix.Close(fd)
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	const below = unix.LANDLOCK_RULE_PATH_BENEATH
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, rules, below, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_add_rule", errno)
	}
	return nil
}
