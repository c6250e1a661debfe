package peer

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// file identifies a file of the system.
type file struct{ device, number uint64 }

func fileOf(fd int) (file, error) {
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	return file{uint64(st.Dev), st.Ino}, err
}

// name is what a Unix socket is bound to: a file, or a name of the abstract space of one network namespace and kind of socket. A file that is
// known by the kernel's list of sockets has a short number there.
type name struct {
	file
	listed    bool
	namespace uint64
	kind      int
	abstract  string
}

// listener is a socket that a program of the session listens on, and where a descriptor of it was found last.
type listener struct {
	cookie, number uint64
	process, fd    int
}

// maxListeners is how many are known before the dead ones are forgotten.
const maxListeners = 4096

// listen lets a socket of the caller's listen: the kernel then names this process to those that connect to it.
func (s *server) listen(c *caller) error {
	fd, domain, err := c.socket()
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Listen(fd, int(int32(c.args[1]))); err != nil || domain != unix.AF_UNIX {
		return err
	}
	l := listener{process: processOf(int(c.pid)), fd: int(int32(c.args[0]))}
	f, err := fileOf(fd)
	l.number = f.number
	if err == nil {
		l.cookie, err = cookieOf(fd)
	}
	if err != nil {
		return err
	}
	n, err := nameOf(fd, l)
	if err != nil {
		return nil // it listens, and nobody inside can connect to it
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.listeners) >= maxListeners {
		s.forget()
	}
	s.listeners[n] = l
	return nil
}

// forget forgets the listeners that are gone, and those that other processes have by now.
func (s *server) forget() {
	for n, l := range s.listeners {
		fd, err := l.open()
		if err != nil {
			delete(s.listeners, n)
			continue
		}
		_ = unix.Close(fd) // it was only looked at
	}
}

// hold returns a descriptor of the session's listener that has the name: a socket is bound once, so no other one has it until that is closed.
func (s *server) hold(n name) (int, error) {
	s.mu.Lock()
	l, known := s.listeners[n]
	s.mu.Unlock()
	if !known {
		return -1, errOutside
	}
	fd, err := l.open()
	if err != nil {
		l, fd, err = l.find()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch is := s.listeners[n]; {
	case is.cookie != l.cookie: // another one has come
	case err != nil:
		delete(s.listeners, n)
	default:
		s.listeners[n] = l
	}
	return fd, err
}

// open returns a descriptor of the listener, from the process that had it last.
func (l listener) open() (int, error) {
	fd, err := descriptorOf(l.process, l.fd)
	if err != nil {
		return -1, errOutside
	}
	listens, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ACCEPTCONN)
	if cookie, other := cookieOf(fd); err != nil || other != nil || listens == 0 || cookie != l.cookie {
		return -1, errors.Join(errOutside, unix.Close(fd))
	}
	return fd, nil
}

// find looks for a process that has the listener by now: the one that called listen may have gone, as daemons do. Of one that
// lets nobody see its descriptors, as ssh-agent, the lowest are tried.
func (l listener) find() (listener, int, error) {
	for pid := range processes() {
		if len(strings.Fields(statusOf(pid)["NSpid"])) < 2 { // it is not in a session
			continue
		}
		for _, number := range l.numbersIn(pid) {
			found := listener{l.cookie, l.number, pid, number}
			if fd, err := found.open(); err == nil {
				return found, fd, nil
			}
		}
	}
	return l, -1, errOutside
}

// numbersIn returns the descriptors by which a process may have the listener.
func (l listener) numbersIn(pid int) (numbers []int) {
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // a good pattern
	if len(links) == 0 {
		const lowest = 256
		for number := range lowest {
			numbers = append(numbers, number)
		}
	}
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && to == fmt.Sprintf("socket:[%d]", l.number) {
			number, _ := strconv.Atoi(filepath.Base(link)) // it is one
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// processes are the pids of all processes.
func processes() iter.Seq[int] {
	return func(yield func(int) bool) {
		entries, _ := os.ReadDir("/proc") // without it there is nobody
		for _, entry := range entries {
			if pid, err := strconv.Atoi(entry.Name()); err == nil && !yield(pid) {
				return
			}
		}
	}
}

func cookieOf(fd int) (uint64, error) {
	return unix.GetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_COOKIE)
}

// nameOf returns what a listener is bound to, by the kernel's word alone: a path that it was bound by may lead elsewhere since.
func nameOf(fd int, l listener) (name, error) {
	address := make([]byte, longest)
	size := uint32(len(address))
	_, _, errno := unix.Syscall(unix.SYS_GETSOCKNAME, uintptr(fd), uintptr(unsafe.Pointer(&address[0])), uintptr(unsafe.Pointer(&size)))
	switch {
	case errno != 0:
		return name{}, errno
	case size > 2 && address[2] == 0:
		return abstractName(fd, address[:size])
	}
	const boundFile = 0x89e0 // SIOCUNIXFILE
	bound, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), boundFile, 0)
	if errno != 0 { // it needs privileges over the network namespace
		return listedFile(l)
	}
	defer unix.Close(int(bound))
	f, err := fileOf(int(bound))
	return name{file: f}, err
}

// abstractName returns the name in the space of the socket's network namespace and kind.
func abstractName(fd int, address []byte) (name, error) {
	namespace, err := unix.GetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_NETNS_COOKIE)
	kind, failed := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	return name{namespace: namespace, kind: kind, abstract: string(address[2:])}, errors.Join(err, failed)
}
