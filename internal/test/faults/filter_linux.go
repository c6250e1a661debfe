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

// helperVariable tells [Helper] what to watch: calls that change files, or withReads also those that only read, and locks.
const (
	helperVariable = "SWOP_FAULTS_HELPER"
	withReads      = "reads"
	withoutReads   = "changes"
)

// Helper must be called first in the main of a program that calls [Run], a test's TestMain. Run starts that program again: it asks the
// kernel to stop at the watched calls only, and becomes the command. In any other process Helper returns at once.
func Helper() {
	asked := os.Getenv(helperVariable)
	if asked == "" {
		return
	}
	runtime.LockOSThread() // the filter belongs to this thread, which execs
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

// helperFailed is the helper's exit status where the command could not be started.
const helperFailed = 124

// filterThread makes the calling thread, and all threads and processes that it starts, stop before each watched call.
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
// eight bytes each, from 16 on. Without reads it does not stop at opens whose flags say that they only read, which is much cheaper.
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

// changingFlags are the flags of an open that changes a file: it has at least one of them.
const changingFlags = unix.O_ACCMODE | unix.O_CREAT | unix.O_TRUNC

// allSpecs are the watched calls of this platform.
var allSpecs = func() map[uint64]spec {
	all := maps.Clone(specs)
	maps.Copy(all, ownSpecs)
	return all
}()
