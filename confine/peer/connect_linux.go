package peer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// longest is the size of the largest address (struct sockaddr_storage).
const longest = 128

// How often the caller is looked after while its call waits, and how often a full queue is tried, of which no poll tells.
const (
	slowTick = 50 * time.Millisecond
	fastTick = 2 * time.Millisecond
)

// connect makes a connection. Of another family than Unix's any, and the caller's own address says where to.
func (s *server) connect(c *caller) error {
	fd, domain, err := c.socket()
	if err != nil {
		return err
	}
	w := &waiter{caller: c, fd: fd, domain: domain, tick: slowTick}
	defer w.close()
	if c.args[2] > longest {
		return unix.EINVAL
	}
	address, err := c.read(c.args[1], c.args[2]&0xffffffff)
	if err != nil {
		return unix.EFAULT
	}
	if !c.valid() {
		return unix.ESRCH
	}
	if domain != unix.AF_UNIX {
		return w.connect(address)
	}
	if len(address) < 3 || binary.NativeEndian.Uint16(address) != unix.AF_UNIX {
		return unix.EINVAL
	}
	w.tick = fastTick
	name := "@" + string(address[3:])
	if address[2] == 0 {
		err = s.connectAbstract(w, address)
	} else {
		name, _, _ = strings.Cut(string(address[2:]), "\x00")
		err = s.connectPath(w, name)
	}
	if errors.Is(err, errOutside) && s.Refused != nil {
		s.Refused(name)
	}
	return err
}

// errOutside is the answer where nobody of the session listens, or nobody can know: as if nobody did.
var errOutside = fmt.Errorf("nobody inside listens there: %w", unix.ECONNREFUSED)

// connectAbstract connects to a name of the abstract space. While the listener is held here, no other one can have that name.
func (s *server) connectAbstract(w *waiter, address []byte) error {
	n, err := abstractName(w.fd, address)
	if err != nil {
		return err
	}
	held, err := s.hold(n)
	if err != nil {
		return err
	}
	defer unix.Close(held)
	return w.connectInside(address)
}

// connectPath connects to the socket that a path leads to now. A file belongs to one socket for ever, so that names can change meanwhile.
func (s *server) connectPath(w *waiter, path string) error {
	found, err := w.look(path)
	if err != nil {
		return err
	}
	defer unix.Close(found)
	f, err := fileOf(found)
	if err != nil {
		return err
	}
	address := append(binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX), fmt.Sprintf("/proc/self/fd/%d\x00", found)...)
	switch {
	case s.Told != nil && f == s.told:
		return s.tell(w.caller)
	case s.allowed[f]:
		return w.connect(address)
	}
	held, err := s.hold(name{file: f})
	if errors.Is(err, errOutside) {
		var listed name
		if listed, err = w.listedName(found, f); err == nil {
			held, err = s.hold(listed)
		}
	}
	if err != nil {
		return err
	}
	defer unix.Close(held)
	return w.connectInside(address)
}

// waiter connects the caller's own socket.
type waiter struct {
	*caller
	fd     int
	domain int
	file   *os.File // of the same descriptor, nil while nothing was waited for
	tick   time.Duration
}

func (w *waiter) close() {
	if w.file != nil {
		_ = w.file.Close() // the caller has its own
		return
	}
	_ = unix.Close(w.fd) // likewise
}

// connectInside connects to a listener of the session, and asks the kernel whose it is. All is known before that; some file systems do not show all
// of a file's number in the list of sockets.
func (w *waiter) connectInside(address []byte) error {
	if err := w.connect(address); err != nil {
		return err
	}
	if peer, err := unix.GetsockoptUcred(w.fd, unix.SOL_SOCKET, unix.SO_PEERCRED); err != nil || int(peer.Pid) != os.Getpid() {
		return errors.Join(errOutside, unix.Shutdown(w.fd, unix.SHUT_RDWR))
	}
	return nil
}

// connect connects as the caller's own call would: it waits where the socket blocks, until it is connected, a signal comes or the socket's time
// is up.
func (w *waiter) connect(address []byte) error {
	flags, err := unix.FcntlInt(uintptr(w.fd), unix.F_GETFL, 0)
	if err != nil {
		return err
	}
	if flags&unix.O_NONBLOCK != 0 {
		return w.call(address)
	}
	once := func() error {
		err := errors.Join(w.setFlags(flags|unix.O_NONBLOCK), w.call(address))
		if errors.Is(err, unix.EINPROGRESS) {
			err = w.call(address) // on loopback it is done by now
		}
		return errors.Join(err, w.setFlags(flags))
	}
	if err = once(); !unfinished(err) {
		return err
	}
	return w.wait(flags, once)
}

func (w *waiter) setFlags(flags int) error {
	_, err := unix.FcntlInt(uintptr(w.fd), unix.F_SETFL, flags)
	return err
}

// unfinished reports whether a connection is under way, or waits for room in a queue.
func unfinished(err error) bool {
	return errors.Is(err, unix.EINPROGRESS) || errors.Is(err, unix.EALREADY) || errors.Is(err, unix.EAGAIN)
}

// wait tries again until it is done. No thread waits meanwhile: Go's poller does.
func (w *waiter) wait(flags int, once func() error) error {
	err := w.setFlags(flags | unix.O_NONBLOCK) // what os takes for pollable
	w.file = os.NewFile(uintptr(w.fd), "socket")
	if err := errors.Join(err, w.setFlags(flags)); err != nil {
		return err
	}
	raw, err := w.file.SyscallConn()
	if err != nil {
		return err
	}
	for waited, limit := w.tick, sendTime(w.fd); ; waited += w.tick {
		if err := w.file.SetWriteDeadline(time.Now().Add(w.tick)); err != nil {
			return err
		}
		var result error
		failed := raw.Write(func(uintptr) bool {
			result = once()
			return !unfinished(result)
		})
		switch {
		case failed == nil:
			return result
		case !errors.Is(failed, os.ErrDeadlineExceeded):
			return failed
		case waited >= limit && errors.Is(result, unix.EALREADY):
			return unix.EINPROGRESS
		case waited >= limit:
			return result
		case waited%slowTick == 0 && (!w.valid() || w.interrupted()):
			return unix.EINTR
		}
	}
}

// sendTime is how long a call may wait for a socket (SO_SNDTIMEO).
func sendTime(fd int) time.Duration {
	t, err := unix.GetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO)
	if err != nil || t.Nano() == 0 {
		const unlimited = 1 << 62
		return unlimited
	}
	return time.Duration(t.Nano())
}

// call connects once. Beside Unix sockets, which were looked at, it does so with no capability: by one of this process's, as root has them, the
// session would send to any program's netlink socket, udev's events among it.
func (w *waiter) call(address []byte) error {
	if w.domain == unix.AF_UNIX {
		return connect(w.fd, address)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var own, none [2]unix.CapUserData
	err := unix.Capget(&thread, &own[0])
	if err == nil && own[0].Effective|own[1].Effective == 0 {
		return connect(w.fd, address)
	}
	for i := range own {
		none[i] = own[i]
		none[i].Effective = 0
	}
	if err = errors.Join(err, unix.Capset(&thread, &none[0])); err != nil {
		return err
	}
	defer func() { _ = unix.Capset(&thread, &own[0]) }() // what is permitted can be had again
	return connect(w.fd, address)
}

func connect(fd int, address []byte) error {
	_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(address))), uintptr(len(address)))
	if errno != 0 {
		return errno
	}
	return nil
}
