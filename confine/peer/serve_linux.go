package peer

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Options say what [Serve] allows.
type Options struct {
	// Allowed are paths of Unix sockets outside that can be connected to: those files, whatever gets their names later.
	Allowed []string
	// Refused is told of each connection that is refused, by its path, or by @ and its abstract name; nil for nobody. It returns soon.
	Refused func(name string)
}

// server makes calls in the place of the programs of one session.
type server struct {
	Options
	calls   int // the kernel's, of the session
	allowed map[file]bool
	lookups chan struct{} // a place for each path that is looked up at once: a file system may hang

	mu        sync.Mutex
	listeners map[name]listener
}

const maxLookups = 64

// The kernel's structures and requests (seccomp_unotify(2)).
type (
	notification struct {
		id    uint64
		pid   uint32 // the thread
		flags uint32
		nr    int32
		arch  uint32
		ip    uint64
		args  [6]uint64
	}
	response struct {
		id    uint64
		value int64
		errno int32
		flags uint32
	}
	addition struct {
		id                          uint64
		flags, from, to, descriptor uint32
	}
)

// errContinue lets the kernel make the call itself.
var errContinue = errors.New("continue")

// Serve makes the calls until no process of the session is left. The process that calls it is an ancestor of the session's, and has the same
// user or a more privileged one.
func Serve(calls *os.File, o Options) error {
	defer calls.Close()
	s := &server{
		Options: o, calls: int(calls.Fd()), allowed: map[file]bool{}, lookups: make(chan struct{}, maxLookups), listeners: map[name]listener{},
	}
	for _, path := range o.Allowed {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // gone: nobody can connect to it
		}
		defer unix.Close(fd) // while it is open, no other file gets its number
		if f, err := fileOf(fd); err == nil {
			s.allowed[f] = true
		}
	}
	for {
		ready := []unix.PollFd{{Fd: int32(s.calls), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("poll", err)
		}
		if ready[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0 {
			return nil // or the kernel answers ENOENT for ever
		}
		if n := new(notification); ready[0].Revents&unix.POLLIN != 0 && s.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(n)) == nil {
			go s.handle(&caller{notification: n, server: s})
		}
	}
}

func (s *server) ioctl(request uintptr, value unsafe.Pointer) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s.calls), request, uintptr(value))
		if errno == 0 {
			return nil
		}
		if errno != unix.EINTR {
			return errno
		}
	}
}

// handle makes a call, and answers.
func (s *server) handle(c *caller) {
	var value int64
	var err error
	switch a := machines[runtime.GOARCH][0]; uint32(c.nr) {
	case a.connect:
		err = s.connect(c)
	case a.listen:
		err = s.listen(c)
	case a.socket:
		value, err = c.makeSocket()
	case a.socketpair:
		err = c.pair()
	case a.kill:
		err = c.signalGroup()
	case createRuleset:
		value, err = c.ruleset()
	default:
		err = unix.ENOSYS
	}
	r := response{id: c.id, value: value}
	var errno unix.Errno
	switch {
	case errors.Is(err, errContinue):
		r.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	case errors.As(err, &errno):
		r.errno = -int32(errno)
	case err != nil:
		r.errno = -int32(unix.EPERM)
	}
	_ = s.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)) // the caller may be gone
}
