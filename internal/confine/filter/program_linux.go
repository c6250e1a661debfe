package filter

import (
	"slices"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// program returns the seccomp program for a machine. It has no rule for the calls that are excepted.
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

// code is what is done once the number matches. It ends where an argument does not.
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
