package confine

import (
	"encoding/binary"
	"slices"

	"golang.org/x/sys/unix"
)

// refused are the system calls that no program inside may make: the kernel's keyrings, in which logins of other accounts may lie, are not
// part of any namespace.
type refused struct {
	arch   uint32 // AUDIT_ARCH_…
	ioctl  uint32
	others []uint32
}

// x32 is the bit of system calls of x86-64's other ABI (asm/unistd.h).
const x32 = 0x40000000

// The architectures whose programs a kernel runs side by side, and the calls by their numbers: ioctl, add_key, request_key, keyctl.
var architectures = map[string][]refused{
	"amd64": {
		{unix.AUDIT_ARCH_X86_64, 16, []uint32{248, 249, 250, x32 | 248, x32 | 249, x32 | 250}},
		{unix.AUDIT_ARCH_I386, 54, []uint32{286, 287, 288}},
	},
	"arm64": {
		{unix.AUDIT_ARCH_AARCH64, 29, []uint32{217, 218, 219}},
		{unix.AUDIT_ARCH_ARM, 54, []uint32{309, 310, 311}},
	},
}

// x32ioctl is ioctl of the x32 ABI.
const x32ioctl = x32 | 514

// filter returns the seccomp program, as bwrap reads it, for a machine: no program inside types into the terminal (TIOCSTI, TIOCLINUX), or
// reaches the kernel's keyrings. Programs of an architecture that it does not know are killed. ok is false where the machine is not known.
func filter(machine string) (program []byte, ok bool) {
	var f assembler
	for _, r := range architectures[machine] {
		f.load(4) // seccomp_data.arch
		part := r.code()
		f.jump(unix.BPF_JEQ, r.arch, 0, uint8(len(part)))
		f = append(f, part...)
	}
	f.ret(unix.SECCOMP_RET_KILL_PROCESS)
	return f.bytes(), len(architectures[machine]) > 0
}

// code is what is done for one architecture. It ends in every case.
func (r refused) code() assembler {
	var f assembler
	f.load(0) // seccomp_data.nr
	calls := slices.Clone(r.others)
	for i, call := range calls {
		f.jump(unix.BPF_JEQ, call, uint8(len(calls)-1-i+8), 0)
	}
	f.jump(unix.BPF_JEQ, r.ioctl, 2, 0)
	f.jump(unix.BPF_JEQ, x32ioctl, 1, 0)
	f.ret(unix.SECCOMP_RET_ALLOW)
	f.load(24) // the low half of args[1]: the kernel looks at no more
	f.jump(unix.BPF_JEQ, unix.TIOCSTI, 2, 0)
	f.jump(unix.BPF_JEQ, tiocLinux, 1, 0)
	f.ret(unix.SECCOMP_RET_ALLOW)
	f.ret(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	f.ret(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS))
	return f
}

// tiocLinux is TIOCLINUX (ioctl_console(2)).
const tiocLinux = 0x541c

// assembler is a program of classic BPF.
type assembler []unix.SockFilter

func (f *assembler) load(offset uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
}

func (f *assembler) jump(how uint16, k uint32, yes, no uint8) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_JMP | how | unix.BPF_K, K: k, Jt: yes, Jf: no})
}

func (f *assembler) ret(k uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k})
}

func (f assembler) bytes() (b []byte) {
	for _, i := range f {
		b = binary.NativeEndian.AppendUint16(b, i.Code)
		b = append(b, i.Jt, i.Jf)
		b = binary.NativeEndian.AppendUint32(b, i.K)
	}
	return b
}
