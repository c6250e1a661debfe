package faults

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const auditArch = unix.AUDIT_ARCH_AARCH64

// ownSpecs are the watched calls that this platform has in addition to those in specs.
var ownSpecs = map[uint64]spec{
	unix.SYS_RENAMEAT: {"renameat", makes, []place{{0, 1}, {2, 3}}, noFlags},
}

// ntPrstatus is the set of the general registers (elf.h).
const ntPrstatus = 1

// failCall makes the call before which the thread has stopped fail; the kernel does not execute it (seccomp(2), SECCOMP_RET_TRACE).
// Here the number of the call is not in a general register.
func failCall(tid int, errno unix.Errno) error {
	var regs unix.PtraceRegsArm64
	if err := unix.PtraceGetRegSetArm64(tid, ntPrstatus, &regs); err != nil {
		return err
	}
	regs.Regs[0] = uint64(-int64(errno))
	if err := unix.PtraceSetRegSetArm64(tid, ntPrstatus, &regs); err != nil {
		return err
	}
	none := int32(-1)
	set := unix.Iovec{Base: (*byte)(unsafe.Pointer(&none))}
	set.SetLen(int(unsafe.Sizeof(none)))
	return ptrace(unix.PTRACE_SETREGSET, tid, unix.NT_ARM_SYSTEM_CALL, unsafe.Pointer(&set))
}
