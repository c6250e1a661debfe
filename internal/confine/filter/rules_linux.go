package filter

import "golang.org/x/sys/unix"

// abi is one kind of system calls that a machine's kernel takes, with the numbers of those that the filter looks at.
type abi struct {
	arch uint32 // AUDIT_ARCH_…

	ioctl, kill, setpriority, ioprioSet uint32
	fcntl                               []uint32 // both, where there are two
	socket, socketpair                  uint32
	keyrings                            []uint32
	chmods                              []place // calls with a mode, and the argument that it is
	opens                               []place // calls with a mode that counts where the argument before it makes a file
	older                               bool    // programs of an older machine: they have no sockets
}

// place is an argument of a system call.
type place struct{ call, arg uint32 }

// Calls that have the same number in every ABI.
const (
	openat2   = unix.SYS_OPENAT2
	fchmodat2 = 452
	x32       = 0x40000000 // the bit of system calls of x86-64's other ABI (asm/unistd.h)
)

// machines are the ABIs of each machine by Go's name of it, its own first.
var machines = map[string][]abi{
	"amd64": {{
		arch: unix.AUDIT_ARCH_X86_64, ioctl: 16, kill: 62, setpriority: 141, ioprioSet: 251, fcntl: []uint32{72},
		socket: 41, socketpair: 53, keyrings: []uint32{248, 249, 250},
		chmods: []place{{90, 1}, {91, 1}, {268, 2}, {85, 1}, {133, 1}, {259, 2}, {fchmodat2, 2}},
		opens:  []place{{2, 2}, {257, 3}},
	}, {
		arch: unix.AUDIT_ARCH_I386, ioctl: 54, kill: 37, setpriority: 97, ioprioSet: 289, fcntl: []uint32{55, 221},
		socket: 359, socketpair: 360, keyrings: []uint32{286, 287, 288}, older: true,
		chmods: []place{{15, 1}, {94, 1}, {306, 2}, {8, 1}, {14, 1}, {297, 2}, {fchmodat2, 2}},
		opens:  []place{{5, 2}, {295, 3}},
	}},
	"arm64": {{
		arch: unix.AUDIT_ARCH_AARCH64, ioctl: 29, kill: 129, setpriority: 140, ioprioSet: 30, fcntl: []uint32{25},
		socket: 198, socketpair: 199, keyrings: []uint32{217, 218, 219},
		chmods: []place{{52, 1}, {53, 2}, {33, 2}, {fchmodat2, 2}},
		opens:  []place{{56, 3}},
	}, {
		arch: unix.AUDIT_ARCH_ARM, ioctl: 54, kill: 37, setpriority: 97, ioprioSet: 314, fcntl: []uint32{55, 221},
		socket: 281, socketpair: 288, keyrings: []uint32{309, 310, 311}, older: true,
		chmods: []place{{15, 1}, {94, 1}, {333, 2}, {8, 1}, {14, 1}, {324, 2}, {fchmodat2, 2}},
		opens:  []place{{5, 2}, {322, 3}},
	}},
}

// Arguments that x/sys does not name (ioctl_tty(2), ioprio_set(2), open(2)).
const (
	fioAsync    = 0x5452
	ioprioGroup = 2
	tmpFile     = 0o20000000
	setID       = unix.S_ISUID | unix.S_ISGID
	multiplexer = 102 // socketcall(2) of the older machines
)

// What the filter does with a call.
const (
	allow  = unix.SECCOMP_RET_ALLOW
	absent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	denied = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unkind = unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)
)

// rule says what is done with a call whose arguments all match. The first rule that matches counts; a call without one is allowed.
type rule struct {
	call uint32
	then uint32
	args []match
}

// match is what the low half of an argument has to be, or for any, that it has one of these bits.
type match struct {
	arg, is uint32
	any     bool
}

func arg(n, is uint32) match { return match{arg: n, is: is} }

func anyOf(n, bits uint32) match { return match{n, bits, true} }

// rules are what is refused. withSignals are those against signals to the job outside: Landlock has them from version 6 on.
func (a abi) rules(withSignals bool) (list []rule) {
	add := func(then, call uint32, args ...match) { list = append(list, rule{call, then, args}) }
	// io_uring makes calls that no filter sees, and has the same numbers in every ABI; keyrings are no part of any namespace; the mode of openat2 lies
	// in memory.
	for _, call := range append([]uint32{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, openat2}, a.keyrings...) {
		add(absent, call)
	}
	add(denied, a.ioctl, arg(1, unix.TIOCSTI)) // types into the terminal
	add(denied, a.ioctl, arg(1, unix.TIOCLINUX))
	add(denied, a.setpriority, arg(0, unix.PRIO_PGRP), arg(1, 0)) // 0 is the job's group, which has programs outside
	add(denied, a.ioprioSet, arg(0, ioprioGroup), arg(1, 0))
	for _, at := range a.chmods {
		add(denied, at.call, anyOf(at.arg, setID))
	}
	for _, at := range a.opens {
		add(denied, at.call, anyOf(at.arg-1, unix.O_CREAT|tmpFile), anyOf(at.arg, setID))
	}
	if withSignals {
		add(denied, a.ioctl, arg(1, fioAsync)) // the terminal would signal the job
		for _, fcntl := range a.fcntl {
			add(denied, fcntl, arg(1, unix.F_SETFL), anyOf(2, unix.O_ASYNC))
		}
		add(denied, a.kill, arg(0, 0))
	}
	if a.older {
		for _, call := range []uint32{a.socket, a.socketpair, multiplexer} {
			add(absent, call)
		}
		return list
	}
	for _, family := range []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} {
		add(allow, a.socket, arg(0, family))
	}
	add(allow, a.socketpair, arg(0, unix.AF_UNIX))
	add(unkind, a.socket)
	add(unkind, a.socketpair)
	return list
}
