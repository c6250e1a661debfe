package filter

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"swop/internal/test/testhome"
)

// verdict runs the filter on a system call, by an interpreter.
func verdict(t *testing.T, withSignals bool, arch, call uint32, args ...uint64) uint32 {
	t.Helper()
	vm, err := bpf.NewVM(program(withSignals))
	testhome.NoError(t, err)
	data := make([]byte, 64) // struct seccomp_data, whose words the interpreter reads in the other order of bytes
	binary.BigEndian.PutUint32(data, call)
	binary.BigEndian.PutUint32(data[4:], arch)
	for i, arg := range args {
		binary.BigEndian.PutUint32(data[16+8*i:], uint32(arg))
	}
	n, err := vm.Run(data)
	testhome.NoError(t, err)
	return uint32(n)
}

func TestFilter(t *testing.T) {
	const x86, i386 = unix.AUDIT_ARCH_X86_64, unix.AUDIT_ARCH_I386
	for _, tt := range []struct {
		name string
		arch uint32
		call uint32
		args []uint64
		want uint32
	}{
		{"read", x86, 0, nil, allow},
		{"io_uring_setup", x86, 425, nil, absent},
		{"openat2", x86, 437, nil, absent},
		{"add_key", x86, 248, nil, absent},
		{"perf_event_open", x86, 298, nil, absent},
		{"ioctl TIOCSTI", x86, 16, []uint64{0, unix.TIOCSTI}, denied},
		{"ioctl TIOCEXCL", x86, 16, []uint64{0, unix.TIOCEXCL}, denied},
		{"ioctl TIOCSETD", x86, 16, []uint64{0, unix.TIOCSETD}, denied},
		{"ioctl TCGETS", x86, 16, []uint64{0, unix.TCGETS}, allow},
		{"socket unix", x86, 41, []uint64{unix.AF_UNIX, unix.SOCK_DGRAM}, allow},
		{"socket vsock", x86, 41, []uint64{unix.AF_VSOCK}, unkind},
		{"socketpair of another family", x86, 53, []uint64{unix.AF_INET}, unkind},
		{"chmod 755", x86, 90, []uint64{0, 0o755}, allow},
		{"chmod 4755", x86, 90, []uint64{0, 0o4755}, denied},
		{"fchmod 2755", x86, 91, []uint64{3, 0o2755}, denied},
		{"fchmodat 4755", x86, 268, []uint64{3, 0, 0o4755}, denied},
		{"fchmodat2 4755", x86, 452, []uint64{3, 0, 0o4755}, denied},
		{"mknod 4644", x86, 133, []uint64{0, unix.S_IFREG | 0o4644}, denied},
		{"creat 4644", x86, 85, []uint64{0, 0o4644}, denied},
		{"open that makes a setuid file", x86, 2, []uint64{0, unix.O_CREAT, 0o4755}, denied},
		{"open without O_CREAT, whose mode is no mode", x86, 2, []uint64{0, unix.O_RDONLY, 0o4755}, allow},
		{"openat with O_TMPFILE", x86, 257, []uint64{3, 0, unix.O_TMPFILE | unix.O_WRONLY, 0o4755}, denied},
		{"openat of a directory", x86, 257, []uint64{3, 0, unix.O_DIRECTORY, 0o4755}, allow},
		{"kill of the group", x86, 62, []uint64{0, 9}, denied},
		{"fcntl F_SETLEASE", x86, 72, []uint64{3, unix.F_SETLEASE, unix.F_WRLCK}, denied},
		{"kill of a process", x86, 62, []uint64{42, 9}, allow},
		{"kill with SIGCONT", x86, 62, []uint64{42, 18}, denied},
		{"tgkill with SIGCONT", x86, 234, []uint64{42, 43, 18}, denied},
		{"timer_create", x86, 222, nil, absent},
		{"prctl PR_SET_PDEATHSIG with SIGCONT", x86, 157, []uint64{unix.PR_SET_PDEATHSIG, 18}, denied},
		{"fcntl F_SETSIG with SIGCONT", x86, 72, []uint64{3, unix.F_SETSIG, 18}, denied},
		{"clone with SIGCONT at the end", x86, 56, []uint64{unix.CLONE_VM | 18}, denied},
		{"clone of a process", x86, 56, []uint64{unix.CLONE_VFORK | 17}, allow},
		{"setpriority of the group", x86, 141, []uint64{unix.PRIO_PGRP, 0, 19}, denied},
		{"setpriority of a process", x86, 141, []uint64{unix.PRIO_PROCESS, 0, 19}, allow},
		{"ioprio_set of the group", x86, 251, []uint64{ioprioGroup, 0, 3 << 13}, denied},
		{"x32", x86, x32 | 1, nil, absent},
		{"another machine, of 32 bits", i386, 15, []uint64{0, 0o4755}, unix.SECCOMP_RET_KILL_PROCESS},
		{"another machine", unix.AUDIT_ARCH_S390X, 1, nil, unix.SECCOMP_RET_KILL_PROCESS},
	} {
		if got := verdict(t, true, tt.arch, tt.call, tt.args...); got != tt.want {
			t.Errorf("%s: %#x, want %#x", tt.name, got, tt.want)
		}
	}
	if got := verdict(t, false, x86, 62, 0, 9); got != allow {
		t.Errorf("with Landlock's scopes kill of the group: %#x, want %#x", got, uint32(allow))
	}
}
