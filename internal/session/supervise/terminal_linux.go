package supervise

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// dyingWithParent lets a child be killed when its parent dies.
func dyingWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// dieBy ends this process by the signal, without a core file of its own: the child may have left one. It returns where the signal does not
// end a process.
func dieBy(sig syscall.Signal) {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) // lowering a limit is always allowed
	raise(sig)
}

// stopBy stops this process by the signal, so that whoever waits for it sees what the child would show.
func stopBy(sig syscall.Signal) { raise(sig) }

// raise sends the signal to this thread, with what the system does by default for it: Go's own handler prints stacks for some, and takes
// those that stop a process for nothing, even after signal.Reset.
func raise(sig syscall.Signal) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	type action struct{ handler, flags, restorer, mask uint64 }
	var byDefault, was action
	unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&byDefault)), uintptr(unsafe.Pointer(&was)), 8, 0, 0)
	_ = unix.Tgkill(unix.Getpid(), unix.Gettid(), sig) // cannot fail for oneself
	unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&was)), 0, 8, 0, 0)
}
