package peer

import (
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// makeSocket makes a socket of records in the place of one of datagrams, which could send to any other. Programs make one to ask the kernel about
// network interfaces by it (musl's if_nametoindex, in codex's own bubblewrap): it answers for this process's network, and "lo" is 1 in each.
func (c *caller) makeSocket() (int64, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_SEQPACKET|c.socketFlags(), int(int32(c.args[2])))
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	return c.give(fd)
}

// pair makes a pair of sockets of records likewise.
func (c *caller) pair() error {
	ours, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|c.socketFlags(), int(int32(c.args[2])))
	if err != nil {
		return err
	}
	defer func() { _, _ = unix.Close(ours[0]), unix.Close(ours[1]) }() // the caller has its own
	var theirs []byte
	for _, fd := range ours {
		n, err := c.give(fd)
		if err != nil {
			return err
		}
		theirs = binary.NativeEndian.AppendUint32(theirs, uint32(n))
	}
	if c.write(c.args[3], theirs) != nil {
		return unix.EFAULT
	}
	return nil
}

// socketFlags are those that the caller asks for.
func (c *caller) socketFlags() int { return unix.SOCK_CLOEXEC | int(c.args[1])&unix.SOCK_NONBLOCK }

// give gives the caller a descriptor, and returns its number there.
func (c *caller) give(fd int) (int64, error) {
	return c.add(addition{from: uint32(fd), descriptor: uint32(c.args[1]) & unix.SOCK_CLOEXEC})
}

func (c *caller) add(a addition) (int64, error) {
	a.id = c.id
	n, _, errno := unix.Syscall(unix.SYS_IOCTL, c.server.calls.Fd(), unix.SECCOMP_IOCTL_NOTIF_ADDFD, uintptr(unsafe.Pointer(&a)))
	if errno != 0 {
		return 0, errno
	}
	return int64(n), nil
}

// ruleset answers landlock_create_ruleset(2): a sandbox inside has Landlock as it was before it knew of networks. Its rules for connections
// would be void, for they are made here. The caller can change what is looked at here, to its own harm alone.
func (c *caller) ruleset() (int64, error) {
	const version, lastRight, size = 3, 1 << 14, 24
	if c.args[2] == unix.LANDLOCK_CREATE_RULESET_VERSION {
		if v := landlockVersion(); v > 0 {
			return int64(min(v, version)), nil
		}
		return 0, errContinue
	}
	text, err := c.read(c.args[0], min(c.args[1], size))
	if err != nil || c.args[2] != 0 {
		return 0, errContinue // the kernel's own answer is an error
	}
	text = append(text, make([]byte, size)...)
	switch {
	case binary.NativeEndian.Uint64(text) >= lastRight<<1:
		return 0, unix.EINVAL
	case binary.NativeEndian.Uint64(text[8:])|binary.NativeEndian.Uint64(text[16:]) != 0:
		return 0, unix.E2BIG
	}
	return 0, errContinue
}

// signalGroup answers kill(0, …), which reaches the caller's group. The job's own group has programs outside: in the place of it, the session's
// programs that are in it are signalled, except for the first of each pid namespace. No process inside can name that group otherwise.
func (c *caller) signalGroup() error {
	job := unix.Getpgrp()
	if group, err := unix.Getpgid(int(c.pid)); err != nil || group != job {
		return errors.Join(err, errContinue)
	}
	for pid := range processes() {
		if group, err := unix.Getpgid(pid); err != nil || group != job || !isInside(pid) {
			continue
		}
		_ = unix.Kill(pid, unix.Signal(int32(c.args[1]))) // it may have ended
	}
	return nil
}

// isInside reports whether a process is a descendant of this one, in another pid namespace, and not the first there.
func isInside(pid int) bool {
	status := statusOf(pid)
	if names := strings.Fields(status["NSpid"]); len(names) < 2 || names[len(names)-1] == "1" {
		return false
	}
	for self := strconv.Itoa(os.Getpid()); status["PPid"] != "" && status["PPid"] != "0"; {
		if status["PPid"] == self {
			return true
		}
		parent, err := strconv.Atoi(status["PPid"])
		if err != nil {
			return false
		}
		status = statusOf(parent)
	}
	return false
}
