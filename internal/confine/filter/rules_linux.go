package filter

import (
	"runtime"
	"slices"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// machine is what machines differ in.
type machine struct {
	arch   uint32  // AUDIT_ARCH_…
	chmods []place // calls that later machines do not have, by their numbers
	opens  []place
}

// place is an argument of a system call.
type place struct{ call, arg uint32 }

// machines has the machines by Go's names. Programs of another one than this, also of 32 bits, are killed at their first call; so are all
// programs where this one is not listed.
var machines = map[string]machine{
	"amd64": {unix.AUDIT_ARCH_X86_64, []place{{90, 1}, {85, 1}, {133, 1}}, []place{{2, 2}}},
	"arm64": {arch: unix.AUDIT_ARCH_AARCH64},
}

// x32 is the bit of system calls of x86-64's other ABI (asm/unistd.h).
const x32 = 0x40000000

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
func (m machine) rules(withSignals bool) (list []rule) {
	add := func(then, call uint32, args ...match) { list = append(list, rule{call, then, args}) }
	// io_uring makes calls that no filter sees; keyrings and samples of processes are no part of any namespace; the mode of openat2 lies in
	// memory.
	for _, call := range []uint32{
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_OPENAT2,
		unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_PERF_EVENT_OPEN,
	} {
		add(absent, call)
	}
	// What is stopped with its session must not go on: no program sends SIGCONT, or lets the kernel send it when something happens. For
	// three calls the signal lies in memory; clone is refused exit signals that have a bit of SIGCONT, which SIGCHLD has not.
	for _, call := range []uint32{unix.SYS_TIMER_CREATE, unix.SYS_MQ_NOTIFY, unix.SYS_CLONE3} {
		add(absent, call)
	}
	kills := []place{{unix.SYS_KILL, 1}, {unix.SYS_TKILL, 1}, {unix.SYS_RT_SIGQUEUEINFO, 1}, {unix.SYS_PIDFD_SEND_SIGNAL, 1}}
	for _, at := range append(kills, place{unix.SYS_TGKILL, 2}, place{unix.SYS_RT_TGSIGQUEUEINFO, 2}) {
		add(denied, at.call, arg(at.arg, uint32(unix.SIGCONT)))
	}
	add(denied, unix.SYS_FCNTL, arg(1, unix.F_SETSIG), arg(2, uint32(unix.SIGCONT)))
	add(denied, unix.SYS_PRCTL, arg(0, unix.PR_SET_PDEATHSIG), arg(1, uint32(unix.SIGCONT)))
	add(denied, unix.SYS_CLONE, anyOf(0, uint32(unix.SIGCONT&^unix.SIGCHLD)))
	// requests that type into the terminal, or whose effect there outlasts the session
	for _, request := range []uint32{unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCEXCL, unix.TIOCSETD} {
		add(denied, unix.SYS_IOCTL, arg(1, request))
	}
	add(denied, unix.SYS_FCNTL, arg(1, unix.F_SETLEASE)) // each program that opens the file would wait
	// the job's group is the caller's, outside, too
	add(denied, unix.SYS_SETPRIORITY, arg(0, unix.PRIO_PGRP), arg(1, 0))
	add(denied, unix.SYS_IOPRIO_SET, arg(0, ioprioGroup), arg(1, 0))
	// calls with a mode, which is the argument
	chmods := []place{{unix.SYS_FCHMOD, 1}, {unix.SYS_FCHMODAT, 2}, {unix.SYS_FCHMODAT2, 2}, {unix.SYS_MKNODAT, 2}}
	for _, at := range append(chmods, m.chmods...) {
		add(denied, at.call, anyOf(at.arg, setID))
	}
	for _, at := range append(m.opens, place{unix.SYS_OPENAT, 3}) { // the mode counts where the argument before makes a file
		add(denied, at.call, anyOf(at.arg-1, unix.O_CREAT|tmpFile), anyOf(at.arg, setID))
	}
	if withSignals {
		add(denied, unix.SYS_IOCTL, arg(1, fioAsync)) // the terminal would signal the job
		add(denied, unix.SYS_FCNTL, arg(1, unix.F_SETFL), anyOf(2, unix.O_ASYNC))
		add(denied, unix.SYS_KILL, arg(0, 0))
	}
	for _, family := range []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} {
		add(allow, unix.SYS_SOCKET, arg(0, family))
	}
	add(allow, unix.SYS_SOCKETPAIR, arg(0, unix.AF_UNIX))
	add(unkind, unix.SYS_SOCKET)
	add(unkind, unix.SYS_SOCKETPAIR)
	return list
}

// program returns the seccomp program for this machine.
func program(withSignals bool) []bpf.Instruction {
	m := machines[runtime.GOARCH]
	number, arch := bpf.LoadAbsolute{Off: 0, Size: 4}, bpf.LoadAbsolute{Off: 4, Size: 4} // of struct seccomp_data
	list := []bpf.Instruction{
		arch,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: m.arch, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
		number,
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32, SkipTrue: 1},
		bpf.RetConstant{Val: absent},
	}
	for _, r := range m.rules(withSignals) {
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
