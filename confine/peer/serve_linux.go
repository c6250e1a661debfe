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
	Told    *Told // nil for none
}

// server makes calls in the place of the programs of one session.
type server struct {
	Options
	calls   *os.File // the kernel's, of the session
	allowed map[file]bool
	told    file          // Told.Path
	telling chan struct{} // a place for each program that is told
	lookups chan struct{} // a place for each path that is looked up at once: a file system may hang

	mu        sync.Mutex
	listeners map[name]listener
	spare     int // threads that wait for a call
}

const (
	maxLookups = 64
	spare      = 2 // threads that wait for a call beside those that make one, so that a call need not wait for a thread
)

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
// user or a more privileged one. Before Linux 6.11, where a thread that waits for a call is not woken when the session ends, the threads stay until
// this process ends.
func Serve(calls *os.File, o Options) error {
	s := &server{Options: o, calls: calls, allowed: map[file]bool{}, lookups: make(chan struct{}, maxLookups), telling: make(chan struct{}, maxTold), listeners: map[name]listener{}}
	for _, path := range o.Allowed {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // gone: nobody can connect to it
		}
		defer unix.Close(fd) // while it is open, no other file gets its number
		if f, err := fileOf(fd); err == nil {
			s.allowed[f] = true
			if o.Told != nil && path == o.Told.Path {
				s.told = f
			}
		}
	}
	s.spare = spare
	for range spare {
		go s.work()
	}
	s.ended(-1)
	return nil
}

// ended reports whether no process of the session is left, and waits for that as poll(2) does.
func (s *server) ended(timeout int) bool {
	for {
		end := []unix.PollFd{{Fd: int32(s.calls.Fd())}}
		if n, err := unix.Poll(end, timeout); n >= 0 && !errors.Is(err, unix.EINTR) {
			return n > 0
		}
	}
}

// work takes calls and makes them on the thread that the kernel wakes, until enough others wait or the session has ended.
func (s *server) work() {
	for {
		n := new(notification)
		if s.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(n)) != nil {
			if s.ended(0) {
				return
			}
			continue // the caller was killed
		}
		s.mu.Lock()
		if s.spare--; s.spare == 0 {
			s.spare++
			go s.work()
		}
		s.mu.Unlock()
		s.handle(&caller{notification: n, server: s})
		s.mu.Lock()
		enough := s.spare >= spare
		if !enough {
			s.spare++
		}
		s.mu.Unlock()
		if enough {
			return
		}
	}
}

func (s *server) ioctl(request uintptr, value unsafe.Pointer) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, s.calls.Fd(), request, uintptr(value))
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
	if c.then != nil {
		c.then()
	}
}
