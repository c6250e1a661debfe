package confine

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"runtime"
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

var ioctlNumbers = numbers{abiAMD64: 16, abiX32: 514, abi386: 54, abiARM64: 29, abiARM: 54}

// filtered are calls, and what the filter makes of each: an error, or 0 where it lets the call through.
var filtered = []struct {
	name    string
	numbers numbers
	args    [6]uint64
	want    unix.Errno
}{
	{"getpid", numbers{abiAMD64: 39, abiX32: 39, abi386: 20, abiARM64: 172, abiARM: 20}, [6]uint64{}, 0},
	{"ioctl TCGETS", ioctlNumbers, [6]uint64{0, unix.TCGETS}, 0},
	{"ioctl TIOCSTI", ioctlNumbers, [6]uint64{0, unix.TIOCSTI}, unix.EPERM},
	{"ioctl TIOCSTI and more", ioctlNumbers, [6]uint64{0, 1<<32 | unix.TIOCSTI}, unix.EPERM}, // the kernel looks at the low half
	{"ioctl TIOCLINUX", ioctlNumbers, [6]uint64{0, 0x541c}, unix.EPERM},
	{"add_key", numbers{abiAMD64: 248, abiX32: 248, abi386: 286, abiARM64: 217, abiARM: 309}, [6]uint64{}, unix.ENOSYS},
	{"request_key", numbers{abiAMD64: 249, abiX32: 249, abi386: 287, abiARM64: 218, abiARM: 310}, [6]uint64{}, unix.ENOSYS},
	{"keyctl", numbers{abiAMD64: 250, abiX32: 250, abi386: 288, abiARM64: 219, abiARM: 311}, [6]uint64{}, unix.ENOSYS},
}

// TestFilter interprets the filters of all machines, and so makes each call of the table by each ABI.
func TestFilter(t *testing.T) {
	for _, abi := range abis {
		vm := newVM(t, abi.machine)
		for _, call := range filtered {
			want := uint32(unix.SECCOMP_RET_ALLOW)
			if call.want != 0 {
				want = unix.SECCOMP_RET_ERRNO | uint32(call.want)
			}
			got, err := vm.Run(seccompData(abi.arch, call.numbers[abi.name]|abi.bit, call.args))
			if err != nil || uint32(got) != want {
				t.Errorf("%s of %s: %#x, %v, want %#x", call.name, abi.name, got, err, want)
			}
		}
	}
	for _, machine := range []string{"amd64", "arm64"} {
		if got, err := newVM(t, machine).Run(seccompData(unix.AUDIT_ARCH_PPC64LE, 20, [6]uint64{})); err != nil || uint32(got) != unix.SECCOMP_RET_KILL_PROCESS {
			t.Errorf("a call of another machine on %s: %#x, %v, want the end of the process", machine, got, err)
		}
	}
	if _, ok := filter("ppc64le"); ok {
		t.Error("there is a filter for ppc64le")
	}
}

// newVM returns what interprets the filter of a machine.
func newVM(t *testing.T, machine string) *bpf.VM {
	t.Helper()
	program, ok := filter(machine)
	if !ok {
		t.Fatalf("no filter for %s", machine)
	}
	var code []bpf.Instruction
	for ; len(program) >= 8; program = program[8:] {
		code = append(code, bpf.RawInstruction{
			Op: binary.NativeEndian.Uint16(program), Jt: program[2], Jf: program[3], K: binary.NativeEndian.Uint32(program[4:]),
		}.Disassemble())
	}
	vm, err := bpf.NewVM(code)
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
			switch got := under[name]; {
			case call.want != 0 && got != call.want.Error():
				t.Errorf("%s: %s, want %s", name, got, call.want)
			case call.want != 0 && was == got:
				t.Errorf("%s: %s without the filter too, so it shows nothing", name, got)
			case call.want == 0 && got != was:
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
		if _, errno := call(numberOf("getpid", abi.name)|abi.bit, 0, 0); errno != 0 {
			continue // this kernel has no such calls
		}
		for _, of := range filtered {
			_, errno := call(of.numbers[abi.name]|abi.bit, of.args[0], of.args[1])
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
	program, _ := filter(runtime.GOARCH)
	fprog := unix.SockFprog{Len: uint16(len(program) / 8), Filter: (*unix.SockFilter)(unsafe.Pointer(&program[0]))}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&fprog)), 0, 0)
}

type caller func(number uint32, a, b uint64) (uintptr, unix.Errno)

// callers make system calls of this machine, by the names of the ABIs.
func callers() map[string]caller {
	native := func(number uint32, a, b uint64) (uintptr, unix.Errno) {
		r, _, errno := unix.RawSyscall(uintptr(number), uintptr(a), uintptr(b), 0)
		return r, errno
	}
	of := map[string]caller{runtime.GOARCH: native}
	if runtime.GOARCH == "amd64" {
		of[abiX32] = native
		if call, err := interrupt(); err == nil {
			of[abi386] = call
		}
	}
	return of
}

// interrupt returns what makes a call as 32-bit programs do. Go passes the arguments of a function in the registers that such a call reads: the
// number in AX, the arguments in BX and CX, and takes the result from AX.
func interrupt() (caller, error) {
	code, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	copy(code, []byte{0x31, 0xd2, 0xcd, 0x80, 0xc3}) // xor edx, edx; int 0x80; ret
	entry := &code[0]
	value := unsafe.Pointer(&entry)
	call := *(*func(number, a, b uintptr) uintptr)(unsafe.Pointer(&value))
	return func(number uint32, a, b uint64) (uintptr, unix.Errno) {
		r := call(uintptr(number), uintptr(a), uintptr(b))
		if n := int32(r); n < 0 && n >= -4095 {
			return r, unix.Errno(-n)
		}
		return r, 0
	}, nil
}
