package mirror

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	ptr "unsafe"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// stepper runs functions on a thread of its own that stops before each of its file system calls: a test can do between two calls whatever a
// program or a crash can. It uses seccomp's user notifications (seccomp_unotify(2), Linux 5.19): the code under test needs no hook, and the
// calls of package os are stopped too.
type stepper struct {
	t        testing.TB
	listener int
	work     chan func() error
	done     chan error
	memory   *os.File // our own, to read names that system calls were given
	log      []string // the calls of the last run
	call     notice   // the one before which it stopped
}

// stoppedCalls are all calls that the engine uses to scan or repair, but fcntl(2) for a lease, and endCall, which it does not use. Go's runtime makes
// other calls of fcntl(2), which no goroutine may answer.
var stoppedCalls = []uintptr{
	unix.SYS_OPENAT, unix.SYS_NEWFSTATAT, unix.SYS_READLINKAT, unix.SYS_SYMLINKAT, unix.SYS_UNLINKAT, unix.SYS_MKDIRAT,
	unix.SYS_LINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_UTIMENSAT, unix.SYS_GETDENTS64, unix.SYS_FCHMOD, unix.SYS_FSYNC,
	unix.SYS_FLOCK, unix.SYS_OPENAT2, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWNAT, unix.SYS_FCHOWN,
	unix.SYS_FSETXATTR, unix.SYS_FREMOVEXATTR, endCall,
}

const endCall = unix.SYS_SYNCFS

// A step is told the number of the call, from 0, and what it is. It returns the error that the call gives instead of being made, 0
// to let it be made.
type step func(n int, call string) unix.Errno

func newStepper(t testing.TB) *stepper {
	memory, err := os.Open("/proc/self/mem")
	testhome.NoError(t, err)
	s := &stepper{t: t, work: make(chan func() error), done: make(chan error, 1), memory: memory}
	listener := make(chan int)
	go s.thread(listener)
	if s.listener = <-listener; s.listener < 0 {
		t.Fatal("seccomp gives no listener")
	}
	t.Cleanup(func() {
		close(s.work)
		testhome.NoError(t, errors.Join(unix.Close(s.listener), memory.Close()))
	})
	return s
}

// thread never unlocks its thread: it ends with the goroutine, and so does its filter.
func (s *stepper) thread(listener chan<- int) {
	runtime.LockOSThread()
	fd, err := filterThread()
	if err != nil {
		fd = -1
	}
	listener <- fd
	for f := range s.work {
		err := recovered(f)
		_, _, _ = unix.Syscall(endCall, ^uintptr(0), 0, 0) // the run's end: answered by the listener
		s.done <- err
	}
}

func filterThread() (fd int, err error) {
	const load, equal = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	count := uint8(len(stoppedCalls))
	filter := []unix.SockFilter{
		{Code: load, K: 0}, // the call's number
		{Code: equal, Jf: 2, K: unix.SYS_FCNTL},
		{Code: load, K: 24}, // its second argument
		{Code: equal, Jt: count + 1, Jf: count, K: unix.F_SETLEASE},
	}
	for i, nr := range stoppedCalls {
		filter = append(filter, unix.SockFilter{Code: equal, Jt: count - uint8(i), K: uint32(nr)})
	}
	filter = append(filter,
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	n, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(ptr.Pointer(&program)))
	if errno != 0 {
		return -1, errno
	}
	// Both sides take turns, so one processor does for both. Kernels before 6.6 do not know it, and are slower.
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, n, unix.SECCOMP_IOCTL_NOTIF_SET_FLAGS, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
	return int(n), nil
}

// notice and answer are struct seccomp_notif and struct seccomp_notif_resp.
type (
	notice struct {
		id         uint64
		pid, flags uint32
		nr         int32
		arch       uint32
		ip         uint64
		args       [6]uint64
	}
	reply struct {
		id    uint64
		value int64
		err   int32
		flags uint32
	}
)

// run runs f and calls before each of its stops. It returns f's error and the number of its calls.
func (s *stepper) run(f func() error, before step) (int, error) {
	s.log = s.log[:0]
	s.work <- f
	for n := 0; ; n++ {
		var call notice
		for s.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, ptr.Pointer(&call)) == unix.ENOENT { // a signal came first: the call is repeated
			call = notice{}
		}
		if call.nr == endCall {
			s.answer(reply{id: call.id, err: -int32(unix.EBADF)})
			return n, <-s.done
		}
		s.call = call
		text := s.describe(call)
		s.log = append(s.log, text)
		if errno := before(n, text); errno != 0 {
			s.answer(reply{id: call.id, err: -int32(errno)})
		} else {
			s.answer(reply{id: call.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE})
		}
	}
}

// answer lets the call go on. If a signal interrupted it meanwhile, it is repeated and comes again.
func (s *stepper) answer(r reply) { s.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, ptr.Pointer(&r)) }

// ioctl returns 0, or ENOENT where the call that it is about was interrupted.
func (s *stepper) ioctl(request uintptr, arg ptr.Pointer) unix.Errno {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s.listener), request, uintptr(arg))
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 && errno != unix.ENOENT {
			s.t.Fatalf("ioctl(%#x): %v", request, errno)
		}
		return errno
	}
}

// callNames names the calls that a reader of a failure meets; those without a name are told by their number.
var callNames = map[int32]string{
	unix.SYS_OPENAT: "open", unix.SYS_NEWFSTATAT: "stat", unix.SYS_READLINKAT: "readlink", unix.SYS_UNLINKAT: "unlink", unix.SYS_MKDIRAT: "mkdir",
	unix.SYS_UTIMENSAT: "utimes", unix.SYS_GETDENTS64: "list", unix.SYS_FCHMOD: "chmod", unix.SYS_SYMLINKAT: "symlink", unix.SYS_LINKAT: "link",
	unix.SYS_RENAMEAT: "rename", unix.SYS_RENAMEAT2: "rename", unix.SYS_FCHMODAT: "chmod", unix.SYS_FCHMODAT2: "chmod",
	unix.SYS_FCHOWNAT: "chown", unix.SYS_FCHOWN: "chown", unix.SYS_FSETXATTR: "setxattr", unix.SYS_FREMOVEXATTR: "removexattr", unix.SYS_FSYNC: "sync", unix.SYS_FLOCK: "lock", unix.SYS_FCNTL: "lease",
}

// describe returns the call as far as a reader of a failure needs it.
func (s *stepper) describe(call notice) string {
	name := callNames[call.nr]
	switch call.nr {
	case unix.SYS_SYMLINKAT:
		return name + " " + s.text(call.args[2]) + " -> " + s.text(call.args[0])
	case unix.SYS_LINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2:
		how := ""
		if call.nr == unix.SYS_RENAMEAT2 {
			how = map[uint64]string{unix.RENAME_EXCHANGE: " (exchange)", unix.RENAME_NOREPLACE: " (no replace)"}[call.args[4]]
		}
		return name + " " + s.text(call.args[1]) + " to " + s.text(call.args[3]) + how
	case unix.SYS_GETDENTS64, unix.SYS_FCHMOD, unix.SYS_FCHOWN, unix.SYS_FCNTL:
		return name
	case unix.SYS_FSYNC, unix.SYS_FLOCK:
		file, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", call.args[0])) // "" shows in the description
		return name + " " + file
	}
	return name + " " + s.text(call.args[1])
}

// paths returns the files that the call before which it stopped is about, with the names that lead there and without links.
func (s *stepper) paths() (list []string) {
	call := s.call
	join := func(dir, name uint64) {
		place, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", int32(dir))) // "" for the working directory
		if text := s.text(name); name != 0 && text != "" {
			place = filepath.Join(place, text)
		}
		real, _ := filepath.EvalSymlinks(place) // "" where there is nothing
		list = append(list, place, real)
	}
	switch call.nr {
	case unix.SYS_SYMLINKAT:
		join(call.args[1], call.args[2])
	case unix.SYS_LINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2:
		join(call.args[0], call.args[1])
		join(call.args[2], call.args[3])
	case unix.SYS_GETDENTS64, unix.SYS_FCHMOD, unix.SYS_FCHOWN, unix.SYS_FCNTL, unix.SYS_FSYNC, unix.SYS_FLOCK, unix.SYS_FSETXATTR, unix.SYS_FREMOVEXATTR:
		join(call.args[0], 0)
	default:
		join(call.args[0], call.args[1])
	}
	return list
}

func (s *stepper) text(at uint64) string {
	var buf [300]byte
	n, _ := s.memory.ReadAt(buf[:], int64(at)) // a short read gives what is there
	text, _, _ := bytes.Cut(buf[:n], []byte{0})
	return string(text)
}
