package peer

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// The kinds of system calls that a kernel takes side by side.
const (
	abiAMD64 = "amd64"
	abiX32   = "x32"
	abi386   = "386"
	abiARM64 = "arm64"
	abiARM   = "arm"
)

// abis has what a filter sees of a call: the architecture, and a bit of its number. machine is the one whose filter it is.
var abis = []struct {
	name, machine string
	arch, bit     uint32
}{
	{abiAMD64, "amd64", unix.AUDIT_ARCH_X86_64, 0},
	{abiX32, "amd64", unix.AUDIT_ARCH_X86_64, 0x40000000},
	{abi386, "amd64", unix.AUDIT_ARCH_I386, 0},
	{abiARM64, "arm64", unix.AUDIT_ARCH_AARCH64, 0},
	{abiARM, "arm64", unix.AUDIT_ARCH_ARM, 0},
}

// numbers are those of one call, by the name of the ABI.
type numbers map[string]uint32

var (
	ioctlNumbers   = numbers{abiAMD64: 16, abiX32: 514, abi386: 54, abiARM64: 29, abiARM: 54}
	fcntlNumbers   = numbers{abiAMD64: 72, abiX32: 72, abi386: 221, abiARM64: 25, abiARM: 221}
	killNumbers    = numbers{abiAMD64: 62, abiX32: 62, abi386: 37, abiARM64: 129, abiARM: 37}
	niceNumbers    = numbers{abiAMD64: 141, abiX32: 141, abi386: 97, abiARM64: 140, abiARM: 97}
	ioNiceNumbers  = numbers{abiAMD64: 251, abiX32: 251, abi386: 289, abiARM64: 30, abiARM: 314}
	socketNumbers  = numbers{abiAMD64: 41, abiX32: 41, abi386: 359, abiARM64: 198, abiARM: 281}
	pairNumbers    = numbers{abiAMD64: 53, abiX32: 53, abi386: 360, abiARM64: 199, abiARM: 288}
	connectNumbers = numbers{abiAMD64: 42, abiX32: 42, abi386: 362, abiARM64: 203, abiARM: 283}
	listenNumbers  = numbers{abiAMD64: 50, abiX32: 50, abi386: 363, abiARM64: 201, abiARM: 284}
)

// Calls that only programs of an older machine have; their numbers are 0 elsewhere.
var (
	multiplexerNumbers = numbers{abi386: 102, abiARM: 102}
	oldFcntlNumbers    = numbers{abi386: 55, abiARM: 55}
)

// everywhere is the number of a call that has the same one in every ABI.
func everywhere(number uint32) numbers {
	return numbers{abiAMD64: number, abiX32: number, abi386: number, abiARM64: number, abiARM: number}
}

// filtered are calls, and what the filter makes of each that a program of the machine makes. Programs of an older machine have the same except for
// what has to do with sockets; x32 has nothing.
var filtered = []struct {
	name    string
	numbers numbers
	args    [6]uint64
	want    uint32
}{
	{"getpid", numbers{abiAMD64: 39, abiX32: 39, abi386: 20, abiARM64: 172, abiARM: 20}, [6]uint64{}, allow},
	{"ioctl TCGETS", ioctlNumbers, [6]uint64{0, unix.TCGETS}, allow},
	{"ioctl TIOCSTI", ioctlNumbers, [6]uint64{0, unix.TIOCSTI}, denied},
	{"ioctl TIOCSTI and more", ioctlNumbers, [6]uint64{0, 1<<32 | unix.TIOCSTI}, denied}, // the kernel looks at the low half
	{"ioctl TIOCLINUX", ioctlNumbers, [6]uint64{0, 0x541c}, denied},
	{"ioctl FIOASYNC", ioctlNumbers, [6]uint64{0, 0x5452}, denied},
	{"fcntl O_ASYNC", fcntlNumbers, [6]uint64{0, unix.F_SETFL, unix.O_ASYNC | unix.O_APPEND}, denied},
	{"fcntl O_APPEND", fcntlNumbers, [6]uint64{0, unix.F_SETFL, unix.O_APPEND}, allow},
	{"setpriority of the group", niceNumbers, [6]uint64{unix.PRIO_PGRP, 0, 0}, denied},
	{"setpriority of the process", niceNumbers, [6]uint64{unix.PRIO_PROCESS, 0, 0}, allow},
	{"ioprio_set of the group", ioNiceNumbers, [6]uint64{2, 0, 0}, denied},
	{"ioprio_set of the process", ioNiceNumbers, [6]uint64{1, 0, 0}, allow},
	{"add_key", numbers{abiAMD64: 248, abiX32: 248, abi386: 286, abiARM64: 217, abiARM: 309}, [6]uint64{}, absent},
	{"request_key", numbers{abiAMD64: 249, abiX32: 249, abi386: 287, abiARM64: 218, abiARM: 310}, [6]uint64{}, absent},
	{"keyctl", numbers{abiAMD64: 250, abiX32: 250, abi386: 288, abiARM64: 219, abiARM: 311}, [6]uint64{}, absent},
	{"io_uring_setup", everywhere(425), [6]uint64{1}, absent},
	{"io_uring_enter", everywhere(426), [6]uint64{}, absent},
	{"io_uring_register", everywhere(427), [6]uint64{}, absent},
	{"kill of the group", killNumbers, [6]uint64{0, 0}, notify},
	{"kill of the group, and more", killNumbers, [6]uint64{1 << 32, 0}, notify},
	{"kill of all", killNumbers, [6]uint64{1<<64 - 1, 0}, allow},
	{"connect", connectNumbers, [6]uint64{99}, notify},
	{"listen", listenNumbers, [6]uint64{99}, notify},
	{"landlock_create_ruleset", everywhere(444), [6]uint64{0, 0, 1}, notify},
	{"socket of Unix", socketNumbers, [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, allow},
	{"socket of records", socketNumbers, [6]uint64{unix.AF_UNIX, unix.SOCK_SEQPACKET | unix.SOCK_NONBLOCK}, allow},
	{"socket of datagrams", socketNumbers, [6]uint64{unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_CLOEXEC}, notify},
	{"raw socket", socketNumbers, [6]uint64{unix.AF_UNIX, unix.SOCK_RAW}, notify},
	{"socket of IPv4", socketNumbers, [6]uint64{unix.AF_INET, unix.SOCK_DGRAM}, allow},
	{"socket of IPv6", socketNumbers, [6]uint64{unix.AF_INET6, unix.SOCK_STREAM}, allow},
	{"socket of netlink", socketNumbers, [6]uint64{unix.AF_NETLINK, unix.SOCK_RAW}, allow},
	{"socket of a virtual machine", socketNumbers, [6]uint64{unix.AF_VSOCK, unix.SOCK_STREAM}, unkind},
	{"socket of an algorithm", socketNumbers, [6]uint64{unix.AF_ALG, unix.SOCK_SEQPACKET}, unkind},
	{"socket of packets", socketNumbers, [6]uint64{unix.AF_PACKET, unix.SOCK_RAW}, unkind},
	{"pair", pairNumbers, [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM}, allow},
	{"pair of datagrams", pairNumbers, [6]uint64{unix.AF_UNIX, unix.SOCK_DGRAM}, notify},
	{"pair of another family", pairNumbers, [6]uint64{30, unix.SOCK_STREAM}, unkind},
	{"socketcall", multiplexerNumbers, [6]uint64{99}, absent},
	{"old fcntl O_ASYNC", oldFcntlNumbers, [6]uint64{0, unix.F_SETFL, unix.O_ASYNC}, denied},
}

// bySignals are refused only where Landlock does not keep signals in the session.
var bySignals = []string{"ioctl FIOASYNC", "fcntl O_ASYNC", "old fcntl O_ASYNC", "kill of the group", "kill of the group, and more"}

// wantOf is what the filter makes of a call by an ABI.
func wantOf(name string, want uint32, abi string) uint32 {
	sockets := strings.HasPrefix(name, "socket") || strings.HasPrefix(name, "pair") || strings.HasPrefix(name, "raw") || slices.Contains([]string{"connect", "listen", "landlock_create_ruleset"}, name)
	switch old := abi == abi386 || abi == abiARM; {
	case abi == abiX32, old && sockets:
		return absent
	case old && want == notify:
		return denied
	}
	return want
}

// TestFilter interprets the filters of all machines, and so makes each call of the table by each ABI.
func TestFilter(t *testing.T) {
	for _, withSignals := range []bool{true, false} {
		for _, abi := range abis {
			vm := newVM(t, abi.machine, withSignals)
			for _, call := range filtered {
				if call.numbers[abi.name] == 0 {
					continue
				}
				want := wantOf(call.name, call.want, abi.name)
				if !withSignals && abi.name != abiX32 && slices.Contains(bySignals, call.name) {
					want = allow
				}
				got, err := vm.Run(seccompData(abi.arch, call.numbers[abi.name]|abi.bit, call.args))
				if err != nil || uint32(got) != want {
					t.Errorf("%s of %s, with signals %t: %#x, %v, want %#x", call.name, abi.name, withSignals, got, err, want)
				}
			}
		}
	}
	for _, machine := range []string{"amd64", "arm64"} {
		if got, err := newVM(t, machine, true).Run(seccompData(unix.AUDIT_ARCH_PPC64LE, 20, [6]uint64{})); err != nil || uint32(got) != unix.SECCOMP_RET_KILL_PROCESS {
			t.Errorf("a call of another machine on %s: %#x, %v, want the end of the process", machine, got, err)
		}
	}
	if filter("ppc64le", true) != nil {
		t.Error("there is a filter for ppc64le")
	}
}

// newVM returns what interprets the filter of a machine.
func newVM(t *testing.T, machine string, withSignals bool) *bpf.VM {
	t.Helper()
	vm, err := bpf.NewVM(filter(machine, withSignals))
	testhome.NoError(t, err)
	return vm
}

// seccompData is what a filter sees of a call (seccomp(2)), each word in the network's order, as the interpreter reads it.
func seccompData(arch, number uint32, args [6]uint64) []byte {
	data := binary.BigEndian.AppendUint32(nil, number)
	data = binary.BigEndian.AppendUint32(data, arch)
	data = append(data, make([]byte, 8)...) // the instruction pointer
	for _, arg := range args {
		data = binary.BigEndian.AppendUint32(data, uint32(arg))
		data = binary.BigEndian.AppendUint32(data, uint32(arg>>32))
	}
	return data
}

// TestFilterInKernel makes the same calls, as far as this machine has them, with the filter in force, and without it: what the filter refuses then
// has another answer.
func TestFilterInKernel(t *testing.T) {
	if under, ok := os.LookupEnv("FILTERED"); ok {
		tryCalls(under == "yes")
		os.Exit(0)
	}
	free, under := callsIn(t, "no"), callsIn(t, "yes")
	tried := 0
	for _, abi := range abis {
		for _, call := range filtered {
			name := abi.name + " " + call.name
			was, made := free[name]
			if !made {
				continue
			}
			tried++
			want := wantOf(call.name, call.want, abi.name)
			errno := unix.Errno(want & unix.SECCOMP_RET_DATA)
			if want == notify {
				errno = unix.ENOSYS // here nobody is notified
			}
			lacks := was == unix.ENOSYS.Error() || was == unix.EAFNOSUPPORT.Error() || was == unix.EPERM.Error() && os.Geteuid() != 0
			switch got := under[name]; {
			case want != allow && got != errno.Error():
				t.Errorf("%s: %s, want %s", name, got, errno)
			case want != allow && was == got && !lacks:
				t.Errorf("%s: %s without the filter too, so it shows nothing", name, got)
			case want == allow && got != was:
				t.Errorf("%s: %s, and without the filter %s", name, got, was)
			}
		}
	}
	if least := len(filtered); tried < least {
		t.Errorf("%d calls were tried, want %d at least", tried, least)
	}
}

// callsIn makes the calls in a process of their own, and returns what each answers.
func callsIn(t *testing.T, under string) map[string]string {
	t.Helper()
	self, err := os.Executable()
	testhome.NoError(t, err)
	cmd := exec.Command(self, "-test.run=^TestFilterInKernel$")
	cmd.Env = append(os.Environ(), "FILTERED="+under)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	answers := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if name, answer, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			answers[name] = answer
		}
	}
	return answers
}

func tryCalls(under bool) {
	runtime.LockOSThread()
	if under {
		if err := enforce(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	for _, abi := range abis {
		call, ok := callers()[abi.name]
		if !ok || abi.machine != runtime.GOARCH {
			continue
		}
		if _, errno := call(numberOf("getpid", abi.name)|abi.bit, [6]uint64{}); errno != 0 {
			continue // this kernel has no such calls
		}
		for _, of := range filtered {
			if of.numbers[abi.name] == 0 {
				continue
			}
			_, errno := call(of.numbers[abi.name]|abi.bit, of.args)
			fmt.Printf("%s %s: %v\n", abi.name, of.name, errno)
		}
	}
}

func numberOf(name, abi string) uint32 {
	for _, call := range filtered {
		if call.name == name {
			return call.numbers[abi]
		}
	}
	return 0
}

// enforce puts this thread under the filter.
func enforce() error {
	program, err := bpf.Assemble(filter(runtime.GOARCH, true))
	if err != nil {
		return err
	}
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: (*unix.SockFilter)(unsafe.Pointer(&program[0]))}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&fprog)), 0, 0)
}

type maker func(number uint32, args [6]uint64) (uintptr, unix.Errno)

// callers make system calls of this machine, by the names of the ABIs.
func callers() map[string]maker {
	native := func(number uint32, args [6]uint64) (uintptr, unix.Errno) {
		r, _, errno := unix.RawSyscall6(uintptr(number), uintptr(args[0]), uintptr(args[1]), uintptr(args[2]), uintptr(args[3]), 0, 0)
		return r, errno
	}
	of := map[string]maker{runtime.GOARCH: native}
	if runtime.GOARCH == "amd64" {
		of[abiX32] = native
		if call, err := interrupt(); err == nil {
			of[abi386] = call
		}
	}
	return of
}

// interrupt returns what makes a call as 32-bit programs do. Go passes the arguments of a function in the registers that such a call reads: the
// number in AX, the arguments in BX, CX and DX, for which it has DI, and takes the result from AX.
func interrupt() (maker, error) {
	code, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	copy(code, []byte{0x89, 0xfa, 0xcd, 0x80, 0xc3}) // mov edx, edi; int 0x80; ret
	entry := &code[0]
	value := unsafe.Pointer(&entry)
	call := *(*func(number, a, b, c uintptr) uintptr)(unsafe.Pointer(&value))
	return func(number uint32, args [6]uint64) (uintptr, unix.Errno) {
		r := call(uintptr(number), uintptr(args[0]), uintptr(args[1]), uintptr(args[2]))
		if n := int32(r); n < 0 && n >= -4095 {
			return r, unix.Errno(-n)
		}
		return r, 0
	}, nil
}
