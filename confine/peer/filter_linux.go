package peer

import (
	"runtime"

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

// Calls whose numbers are the same in every ABI.
const (
	ioUringSetup, ioUringEnter, ioUringRegister = 425, 426, 427
	createRuleset                               = 444 // landlock_create_ruleset(2)
)

// x32 is the bit of system calls of x86-64's other ABI (asm/unistd.h).
const x32 = 0x40000000

// Arguments that no header of Go's has on every machine (ioctl_tty(2), ioctl_console(2), ioprio_set(2), socket(2)).
const (
	tiocSTI, tiocLinux, fioAsync = 0x5412, 0x541c, 0x5452
	ioprioGroup                  = 2
	socketType                   = 0xf
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
	no := func(then uint32, calls ...uint32) {
		for _, call := range calls {
			list = append(list, rule{call, then, nil})
		}
	}
	no(absent, ioUringSetup, ioUringEnter, ioUringRegister) // connects without a call
	no(absent, a.keyrings...)                               // are no part of any namespace
	for _, request := range []uint32{tiocSTI, tiocLinux} {
		list = append(list, rule{a.ioctl, denied, []match{arg(1, request)}}) // types into the terminal
	}
	list = append(list,
		rule{a.setpriority, denied, []match{arg(0, unix.PRIO_PGRP), arg(1, 0)}}, // 0 is the job's group, which has programs outside
		rule{a.ioprioSet, denied, []match{arg(0, ioprioGroup), arg(1, 0)}})
	if withSignals {
		list = append(list, rule{a.ioctl, denied, []match{arg(1, fioAsync)}}) // the terminal would signal the job
		for _, fcntl := range a.fcntl {
			list = append(list, rule{fcntl, denied, []match{arg(1, unix.F_SETFL), {2, unix.O_ASYNC, unix.O_ASYNC}}})
		}
	}
	if a.inherited {
		no(absent, a.socket, a.socketpair, a.connect, a.listen, a.multiplexer, createRuleset)
		if withSignals {
			list = append(list, rule{a.kill, denied, []match{arg(0, 0)}})
		}
		return list
	}
	if withSignals {
		list = append(list, rule{a.kill, notify, []match{arg(0, 0)}})
	}
	no(notify, a.connect, a.listen, createRuleset)
	// A datagram's address is out of the filter's sight, so there are none. SOCK_RAW is SOCK_DGRAM among Unix sockets.
	for _, call := range []uint32{a.socket, a.socketpair} {
		for _, kind := range []uint32{unix.SOCK_STREAM, unix.SOCK_SEQPACKET} {
			list = append(list, rule{call, allow, []match{arg(0, unix.AF_UNIX), {1, socketType, kind}}})
		}
		list = append(list, rule{call, notify, []match{arg(0, unix.AF_UNIX)}})
	}
	for _, family := range []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} {
		list = append(list, rule{a.socket, allow, []match{arg(0, family)}})
	}
	no(unkind, a.socket, a.socketpair)
	return list
}

// filter returns the seccomp program for a machine. Programs of an architecture that it does not know are killed. ok is false where the machine
// is not known.
func filter(machine string, withSignals bool) (program []unix.SockFilter, ok bool) {
	var f assembler
	for _, a := range machines[machine] {
		var part assembler
		part.load(0) // seccomp_data.nr
		part.test(unix.BPF_JGE, x32, assembler{ret(absent)})
		for _, r := range a.rules(withSignals) {
			part.test(unix.BPF_JEQ, r.call, r.code())
		}
		part = append(part, ret(allow))
		f.load(4) // seccomp_data.arch
		f = append(f, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: a.arch, Jt: 1})
		f = append(f, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA, K: uint32(len(part))})
		f = append(f, part...)
	}
	return append(f, ret(unix.SECCOMP_RET_KILL_PROCESS)), len(machines[machine]) > 0
}

// own is the ABI of this program.
func own() abi {
	if list := machines[runtime.GOARCH]; len(list) > 0 {
		return list[0]
	}
	return abi{}
}

// code is what is done once the number matches. Where an argument does not, the number is loaded again for the next rule.
func (r rule) code() assembler {
	code := assembler{ret(r.then)}
	for i := len(r.args) - 1; i >= 0; i-- {
		var f assembler
		f.load(16 + 8*r.args[i].arg)
		f = append(f, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: r.args[i].mask})
		f.test(unix.BPF_JEQ, r.args[i].is, code)
		code = f
	}
	if len(r.args) > 0 {
		code.load(0)
	}
	return code
}

// assembler is a program of classic BPF.
type assembler []unix.SockFilter

func (f *assembler) load(offset uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
}

// test runs then where what is loaded compares so with k.
func (f *assembler) test(how uint16, k uint32, then assembler) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_JMP | how | unix.BPF_K, K: k, Jf: uint8(len(then))})
	*f = append(*f, then...)
}

func ret(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
