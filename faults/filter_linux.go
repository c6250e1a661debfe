package faults

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// helperVariable asks [Helper] for its work: to watch what changes files, or withReads also what only reads, and locks.
const (
	helperVariable = "SWOP_FAULTS_HELPER"
	withReads      = "reads"
	withoutReads   = "changes"
)

// Helper must be called first in the main of a program that calls [Run], a test's TestMain. Run starts that program once more: it asks the
// kernel to stop at the watched calls and at no others, and becomes the command. Elsewhere Helper returns at once.
func Helper() {
	asked := os.Getenv(helperVariable)
	if asked == "" {
		return
	}
	runtime.LockOSThread() // the filter is this thread's, which execs
	err := os.Unsetenv(helperVariable)
	if err == nil {
		err = filterThread(asked == withReads)
	}
	if err == nil {
		err = syscall.Exec(os.Args[1], os.Args[2:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, "faults:", err)
	os.Exit(helperFailed)
}

// helperFailed is the helper's exit status where there is no command that could have given one.
const helperFailed = 124

// filterThread lets the calling thread, and all that comes of it, stop before each watched call.
func filterThread(reads bool) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := watchFilter(reads)
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}

// watchFilter is the program for the kernel, over struct seccomp_data: the call's number is at 0, the platform at 4, the arguments, of
// eight bytes each, from 16 on. Without reads it lets pass, and so makes much cheaper, the opens whose flags say that they only read.
func watchFilter(reads bool) []unix.SockFilter {
	const load, equal, bits, ret = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K,
		unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	allow := unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW}
	trace := unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_TRACE}
	filter := []unix.SockFilter{{Code: load, K: 4}, {Code: equal, Jt: 1, K: auditArch}, allow, {Code: load, K: 0}}
	for _, nr := range slices.Sorted(maps.Keys(allSpecs)) {
		s := allSpecs[nr]
		one := []unix.SockFilter{trace}
		switch {
		case reads:
		case s.kind == locks:
			continue
		case s.kind == opens && s.flags != noFlags && nr != unix.SYS_OPENAT2: // whose flags are in memory
			one = []unix.SockFilter{{Code: load, K: uint32(16 + 8*s.flags)}, {Code: bits, Jf: 1, K: changingFlags}, trace, allow}
		}
		filter = append(append(filter, unix.SockFilter{Code: equal, Jf: uint8(len(one)), K: uint32(nr)}), one...)
	}
	return append(filter, allow)
}

// changingFlags are the flags of which an open that changes a file has one.
const changingFlags = unix.O_ACCMODE | unix.O_CREAT | unix.O_TRUNC

// allSpecs are the watched calls of this platform.
var allSpecs = func() map[uint64]spec {
	all := maps.Clone(specs)
	maps.Copy(all, ownSpecs)
	return all
}()
