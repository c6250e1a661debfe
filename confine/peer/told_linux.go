package peer

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Told is a path at which programs say something to this process, by connecting to it. No program inside has another end of that.
type Told struct {
	Path string // of any file, one of Allowed
	// Serve reads what a program writes, and closes that. Each read has one write, and the program waits with the next but one until that is read, so that it
	// has not ended meanwhile. process is a descriptor of the program's (pidfd_open(2)).
	Serve func(said, process *os.File)
}

// maxTold bounds how many are served at once. Others find that nobody listens.
const maxTold = 256

// tell puts a pipe in the place of the caller's socket, which holds a single write.
func (s *server) tell(c *caller) error {
	select {
	case s.telling <- struct{}{}:
	default:
		return unix.ECONNREFUSED
	}
	said, process, err := c.pipe()
	if err != nil {
		<-s.telling
		return err
	}
	c.then = func() {
		s.Told.Serve(said, process)
		<-s.telling
	}
	return nil
}

// pipe gives the caller one end of a pipe as the descriptor that it wants to connect.
func (c *caller) pipe() (said, process *os.File, err error) {
	pidfd, err := processFD(int(c.pid))
	if err != nil {
		return nil, nil, err
	}
	process = os.NewFile(uintptr(pidfd), "process")
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_DIRECT); err != nil { // of packets
		return nil, nil, errors.Join(err, process.Close())
	}
	said = os.NewFile(uintptr(ends[0]), "said")
	_, err = unix.FcntlInt(uintptr(ends[1]), unix.F_SETPIPE_SZ, os.Getpagesize()) // a packet has a page of its own
	if err == nil {
		_, err = c.add(addition{flags: unix.SECCOMP_ADDFD_FLAG_SETFD, from: uint32(ends[1]), to: uint32(c.args[0]), descriptor: unix.O_CLOEXEC})
	}
	if err = errors.Join(err, unix.Close(ends[1])); err != nil {
		return nil, nil, errors.Join(err, said.Close(), process.Close())
	}
	return said, process, nil
}
