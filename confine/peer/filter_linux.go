package peer

import (
	"slices"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// abi is one kind of system calls that a machine's kernel takes, with the numbers of those that the filter looks at.
type abi struct {
	arch uint32 // AUDIT_ARCH_…

	ioctl, kill, setpriority, ioprioSet uint32
	fcntl                               []uint32 // both, where there are two
	socket, socketpair, connect, listen uint32
	keyrings                            []uint32
	multiplexer                         uint32 // socketcall(2), 0 for none
	inherited                           bool   // programs of an older machine: they have no sockets
}

// machines are the ABIs of each machine by Go's name of it, its own first.
var machines = map[string][]abi{
	"amd64": {{
		arch: unix.AUDIT_ARCH_X86_64, ioctl: 16, kill: 62, setpriority: 141, ioprioSet: 251, fcntl: []uint32{72},
		socket: 41, socketpair: 53, connect: 42, listen: 50, keyrings: []uint32{248, 249, 250},
	}, {
		arch: unix.AUDIT_ARCH_I386, ioctl: 54, kill: 37, setpriority: 97, ioprioSet: 289, fcntl: []uint32{55, 221},
		socket: 359, socketpair: 360, connect: 362, listen: 363, keyrings: []uint32{286, 287, 288}, multiplexer: 102, inherited: true,
	}},
	"arm64": {{
		arch: unix.AUDIT_ARCH_AARCH64, ioctl: 29, kill: 129, setpriority: 140, ioprioSet: 30, fcntl: []uint32{25},
		socket: 198, socketpair: 199, connect: 203, listen: 201, keyrings: []uint32{217, 218, 219},
	}, {
		arch: unix.AUDIT_ARCH_ARM, ioctl: 54, kill: 37, setpriority: 97, ioprioSet: 314, fcntl: []uint32{55, 221},
		socket: 281, socketpair: 288, connect: 283, listen: 284, keyrings: []uint32{309, 310, 311}, multiplexer: 102, inherited: true,
	}},
}

// createRuleset is landlock_create_ruleset(2), whose number is the same in every ABI.
const createRuleset = unix.SYS_LANDLOCK_CREATE_RULESET

// x32 is the bit of system calls of x86-64's other ABI (asm/unistd.h).
const x32 = 0x40000000

// Arguments that x/sys does not name (ioctl_tty(2), ioprio_set(2), socket(2)).
const (
	fioAsync    = 0x5452
	ioprioGroup = 2
	socketType  = 0xf
)

// What the filter does with a call.
const (
	allow  = unix.SECCOMP_RET_ALLOW
	notify = unix.SECCOMP_RET_USER_NOTIF
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

// match is what an argument has to be, in its low half (the kernel looks at no more of these) and in the bits of a mask.
type match struct{ arg, mask, is uint32 }

func arg(n, is uint32) match { return match{n, ^uint32(0), is} }

// rules are what is refused, or passed to the supervisor. withSignals are those against signals to the job outside: Landlock has them from
// version 6 on.
func (a abi) rules(withSignals bool) (list []rule) {
	add := func(then, call uint32, args ...match) { list = append(list, rule{call, then, args}) }
	// io_uring connects without a call, and has the same numbers in every ABI; keyrings are no part of any namespace.
	for _, call := range append([]uint32{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}, a.keyrings...) {
		add(absent, call)
	}
	add(denied, a.ioctl, arg(1, unix.TIOCSTI)) // types into the terminal
	add(denied, a.ioctl, arg(1, unix.TIOCLINUX))
	add(denied, a.setpriority, arg(0, unix.PRIO_PGRP), arg(1, 0)) // 0 is the job's group, which has programs outside
	add(denied, a.ioprioSet, arg(0, ioprioGroup), arg(1, 0))
	if withSignals {
		add(denied, a.ioctl, arg(1, fioAsync)) // the terminal would signal the job
		for _, fcntl := range a.fcntl {
			add(denied, fcntl, arg(1, unix.F_SETFL), match{2, unix.O_ASYNC, unix.O_ASYNC})
		}
		kill := uint32(notify)
		if a.inherited {
			kill = denied
		}
		add(kill, a.kill, arg(0, 0))
	}
	if a.inherited {
		for _, call := range []uint32{a.socket, a.socketpair, a.connect, a.listen, a.multiplexer, createRuleset} {
			add(absent, call)
		}
		return list
	}
	for _, call := range []uint32{a.connect, a.listen, createRuleset} {
		add(notify, call)
	}
	// A datagram's address is out of the filter's sight, so there are none. SOCK_RAW is SOCK_DGRAM among Unix sockets.
	for _, call := range []uint32{a.socket, a.socketpair} {
		add(allow, call, arg(0, unix.AF_UNIX), match{1, socketType, unix.SOCK_STREAM})
		add(allow, call, arg(0, unix.AF_UNIX), match{1, socketType, unix.SOCK_SEQPACKET})
		add(notify, call, arg(0, unix.AF_UNIX))
	}
	for _, family := range []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} {
		add(allow, a.socket, arg(0, family))
	}
	add(unkind, a.socket)
	add(unkind, a.socketpair)
	return list
}

// filter returns the seccomp program for a machine, nil where that is not known. Programs of an architecture that it does not know are killed.
func filter(machine string, withSignals bool) (program []bpf.Instruction) {
	number, arch := bpf.LoadAbsolute{Off: 0, Size: 4}, bpf.LoadAbsolute{Off: 4, Size: 4} // of struct seccomp_data
	for _, a := range machines[machine] {
		calls := []bpf.Instruction{number, bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32, SkipTrue: 1}, bpf.RetConstant{Val: absent}}
		for _, r := range a.rules(withSignals) {
			code := r.code()
			if len(r.args) > 0 {
				code = append(code, number) // for the next rule
			}
			calls = append(append(calls, bpf.JumpIf{Cond: bpf.JumpEqual, Val: r.call, SkipFalse: uint8(len(code))}), code...)
		}
		calls = append(calls, bpf.RetConstant{Val: allow})
		program = append(program, arch, bpf.JumpIf{Cond: bpf.JumpEqual, Val: a.arch, SkipTrue: 1}, bpf.Jump{Skip: uint32(len(calls))})
		program = append(program, calls...)
	}
	if program != nil {
		program = append(program, bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS})
	}
	return program
}

// code is what is done once the number matches. It ends where an argument does not.
func (r rule) code() []bpf.Instruction {
	code := []bpf.Instruction{bpf.RetConstant{Val: r.then}}
	for _, m := range slices.Backward(r.args) {
		code = append([]bpf.Instruction{
			bpf.LoadAbsolute{Off: 16 + 8*m.arg, Size: 4},
			bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: m.mask},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: m.is, SkipFalse: uint8(len(code))},
		}, code...)
	}
	return code
}
