package filter

import (
	"slices"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// abi names the system calls of a machine's kernel, with the numbers of the calls that the filter looks at.
type abi struct {
	arch uint32 // AUDIT_ARCH_…

	ioctl, fcntl, kill, socket, socketpair, setpriority, ioprioSet uint32

	keyrings []uint32
	chmods   []place // calls with a mode, which is the argument
	opens    []place // calls with a mode, which counts where the argument before makes a file
}

// place is an argument of a system call.
type place struct{ call, arg uint32 }

// Calls that have the same number on every machine.
const (
	openat2   = unix.SYS_OPENAT2
	fchmodat2 = 452
	x32       = 0x40000000 // the bit of system calls of x86-64's other ABI (asm/unistd.h)
)

// machines are the calls of each machine by Go's name of the machine. Programs of another machine, also of 32 bits, are killed at their
// first call; so are all programs where the machine is not listed.
var machines = map[string]abi{
	"amd64": {
		arch: unix.AUDIT_ARCH_X86_64, ioctl: 16, fcntl: 72, kill: 62, socket: 41, socketpair: 53, setpriority: 141, ioprioSet: 251,
		keyrings: []uint32{248, 249, 250},
		chmods:   []place{{90, 1}, {91, 1}, {268, 2}, {85, 1}, {133, 1}, {259, 2}, {fchmodat2, 2}},
		opens:    []place{{2, 2}, {257, 3}},
	},
	"arm64": {
		arch: unix.AUDIT_ARCH_AARCH64, ioctl: 29, fcntl: 25, kill: 129, socket: 198, socketpair: 199, setpriority: 140, ioprioSet: 30,
		keyrings: []uint32{217, 218, 219},
		chmods:   []place{{52, 1}, {53, 2}, {33, 2}, {fchmodat2, 2}},
		opens:    []place{{56, 3}},
	},
}

// Arguments that x/sys does not name (ioctl_tty(2), ioprio_set(2), open(2)).
const (
	fioAsync    = 0x5452
	ioprioGroup = 2 // IOPRIO_WHO_PGRP
	tmpFile     = 0o20000000
	setID       = unix.S_ISUID | unix.S_ISGID
)

// The filter's answers to a call.
const (
	allow  = unix.SECCOMP_RET_ALLOW
	absent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	denied = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unkind = unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)
)

// rule is the answer to a call whose arguments all match. The first rule that matches counts; a call without a rule is allowed.
type rule struct {
	call uint32
	then uint32
	args []match
}

// match is a value for the low half of an argument, or for any, bits of which the argument has one at least.
type match struct {
	arg, is uint32
	any     bool
}

func arg(n, is uint32) match { return match{arg: n, is: is} }

func anyOf(n, bits uint32) match { return match{n, bits, true} }

// rules returns the rules. withSignals adds rules against signals to the job outside: Landlock has such scopes from version 6 on.
func (a abi) rules(withSignals bool) (list []rule) {
	add := func(then, call uint32, args ...match) { list = append(list, rule{call, then, args}) }
	// io_uring makes calls that no filter sees, and has the same numbers everywhere; keyrings are no part of any namespace; the mode of
	// openat2 lies in memory.
	for _, call := range append([]uint32{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, openat2},
		a.keyrings...) {
		add(absent, call)
	}
	// requests that type into the terminal, or whose effect there outlasts the session
	for _, request := range []uint32{unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCEXCL, unix.TIOCSETD} {
		add(denied, a.ioctl, arg(1, request))
	}
	// the job's group is the caller's, outside, too
	add(denied, a.setpriority, arg(0, unix.PRIO_PGRP), arg(1, 0))
	add(denied, a.ioprioSet, arg(0, ioprioGroup), arg(1, 0))
	for _, at := range a.chmods {
		add(denied, at.call, anyOf(at.arg, setID))
	}
	for _, at := range a.opens {
		add(denied, at.call, anyOf(at.arg-1, unix.O_CREAT|tmpFile), anyOf(at.arg, setID))
	}
	if withSignals {
		add(denied, a.ioctl, arg(1, fioAsync)) // the terminal would signal the job
		add(denied, a.fcntl, arg(1, unix.F_SETFL), anyOf(2, unix.O_ASYNC))
		add(denied, a.kill, arg(0, 0))
	}
	for _, family := range []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} {
		add(allow, a.socket, arg(0, family))
	}
	add(allow, a.socketpair, arg(0, unix.AF_UNIX))
	add(unkind, a.socket)
	add(unkind, a.socketpair)
	return list
}

// program returns the seccomp program for a machine, without rules for the excepted calls.
func program(machine string, withSignals bool, excepted ...uint32) []bpf.Instruction {
	a := machines[machine]
	number, arch := bpf.LoadAbsolute{Off: 0, Size: 4}, bpf.LoadAbsolute{Off: 4, Size: 4} // of struct seccomp_data
	list := []bpf.Instruction{
		arch,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: a.arch, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
		number,
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32, SkipTrue: 1},
		bpf.RetConstant{Val: absent},
	}
	for _, r := range a.rules(withSignals) {
		if slices.Contains(excepted, r.call) {
			continue
		}
		code := r.code()
		if len(r.args) > 0 {
			code = append(code, number) // for the next rule
		}
		list = append(append(list, bpf.JumpIf{Cond: bpf.JumpEqual, Val: r.call, SkipFalse: uint8(len(code))}), code...)
	}
	return append(list, bpf.RetConstant{Val: allow})
}

// code returns the instructions behind a match of the number. They end where an argument does not match.
func (r rule) code() []bpf.Instruction {
	code := []bpf.Instruction{bpf.RetConstant{Val: r.then}}
	for _, m := range slices.Backward(r.args) {
		jump := bpf.JumpIf{Cond: bpf.JumpEqual, Val: m.is, SkipFalse: uint8(len(code))}
		if m.any {
			jump.Cond = bpf.JumpBitsSet
		}
		code = append([]bpf.Instruction{bpf.LoadAbsolute{Off: 16 + 8*m.arg, Size: 4}, jump}, code...)
	}
	return code
}
