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

// helperVariable asks [Helper] for its work.
const helperVariable = "SWOP_FAULTS_HELPER"

// Helper must be called first in the main of a program that calls [Run], a test's TestMain. Run starts that program once more: it asks the
// kernel to stop at the watched calls and at no others, and becomes the command. Elsewhere Helper returns at once.
func Helper() {
	if os.Getenv(helperVariable) == "" {
		return
	}
	runtime.LockOSThread() // the filter is this thread's, which execs
	err := os.Unsetenv(helperVariable)
	if err == nil {
		err = filterThread()
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
func filterThread() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := watchFilter()
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}

// watchFilter is the program for the kernel, over struct seccomp_data: the call's number is at 0, the platform at 4.
func watchFilter() []unix.SockFilter {
	const load, equal, ret = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	watched := slices.Sorted(maps.Keys(allSpecs))
	filter := []unix.SockFilter{
		{Code: load, K: 4},
		{Code: equal, Jf: uint8(len(watched) + 1), K: auditArch},
		{Code: load, K: 0},
	}
	for i, nr := range watched {
		filter = append(filter, unix.SockFilter{Code: equal, Jt: uint8(len(watched) - i), K: uint32(nr)})
	}
	return append(filter, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW}, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_TRACE})
}

// allSpecs are the watched calls of this platform.
var allSpecs = func() map[uint64]spec {
	all := maps.Clone(specs)
	maps.Copy(all, ownSpecs)
	return all
}()
