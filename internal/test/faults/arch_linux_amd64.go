package faults

import (
	"golang.org/x/sys/unix"
)

const auditArch = unix.AUDIT_ARCH_X86_64

// ownSpecs are the watched calls that only this platform has: older forms of those in specs.
var ownSpecs = map[uint64]spec{
	unix.SYS_OPEN:      {"open", opens, []place{{noDir, 0}}, 1},
	unix.SYS_CREAT:     {"creat", opens, []place{{noDir, 0}}, noFlags},
	unix.SYS_RENAME:    {"rename", makes, []place{{noDir, 0}, {noDir, 1}}, noFlags},
	unix.SYS_RENAMEAT:  {"renameat", makes, []place{{0, 1}, {2, 3}}, noFlags},
	unix.SYS_LINK:      {"link", makes, []place{{noDir, 0}, {noDir, 1}}, noFlags},
	unix.SYS_SYMLINK:   {"symlink", makes, []place{{noDir, 1}}, noFlags},
	unix.SYS_MKDIR:     {"mkdir", makes, []place{{noDir, 0}}, noFlags},
	unix.SYS_MKNOD:     {"mknod", makes, []place{{noDir, 0}}, noFlags},
	unix.SYS_UNLINK:    {"unlink", removes, []place{{noDir, 0}}, noFlags},
	unix.SYS_RMDIR:     {"rmdir", removes, []place{{noDir, 0}}, noFlags},
	unix.SYS_CHMOD:     {"chmod", alters, []place{{noDir, 0}}, noFlags},
	unix.SYS_CHOWN:     {"chown", alters, []place{{noDir, 0}}, noFlags},
	unix.SYS_LCHOWN:    {"lchown", alters, []place{{noDir, 0}}, noFlags},
	unix.SYS_UTIME:     {"utime", alters, []place{{noDir, 0}}, noFlags},
	unix.SYS_UTIMES:    {"utimes", alters, []place{{noDir, 0}}, noFlags},
	unix.SYS_FUTIMESAT: {"futimesat", alters, []place{{0, 1}}, noFlags},
}

// failCall makes the call before which the thread has stopped fail; the kernel does not execute it (seccomp(2), SECCOMP_RET_TRACE).
func failCall(tid int, errno unix.Errno) error {
	var regs unix.PtraceRegs
	if err := unix.PtraceGetRegs(tid, &regs); err != nil {
		return err
	}
	regs.Orig_rax = ^uint64(0)
	regs.Rax = uint64(-int64(errno))
	return unix.PtraceSetRegs(tid, &regs)
}
