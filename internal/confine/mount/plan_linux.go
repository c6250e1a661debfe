package mount

import (
	"encoding/gob"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Plan is what [Run] is to do.
type Plan struct {
	Program    string // the first one inside, which calls [Finish]
	Args, Env  []string
	OwnNetwork bool // the session has no network but its own: see [Namespaces]
	Mounts     []Mount
	Listen     []string // addresses in that network; the supervisor gets a listener for each
	Reach      []int    // ports in that network; the supervisor passes a listener for each, which leads there
}

// Order lets a program run beside the session, in a copy of its mount namespace with more mounts. Its streams and its helper's socket are passed before.
type Order struct {
	Program   string
	Args, Env []string
	Mounts    []Mount
}

// answer says how it went with the plan or an order.
type answer struct{ Error string }

// control is one end of the socket between [Run] and the supervisor. That sends a [Plan], then orders. Strings keep their bytes, whatever they are.
type control struct {
	io.Closer
	*gob.Encoder
	*gob.Decoder
}

func newControl(of io.ReadWriteCloser) control {
	return control{of, gob.NewEncoder(of), gob.NewDecoder(of)}
}

// ask sends a plan or an order, and returns what is wrong with it.
func (c control) ask(of any) error {
	var a answer
	if c.Encode(of) != nil || c.Decode(&a) != nil {
		return errors.New("the process that mounts has ended")
	}
	if a.Error != "" {
		return errors.New(a.Error)
	}
	return nil
}

// say answers.
func (c control) say(err error) error {
	if err != nil {
		return errors.Join(err, c.Encode(answer{err.Error()}))
	}
	return c.Encode(answer{})
}

// pass sends descriptors over a socket.
func pass(over *os.File, fds []int) error {
	raw, err := over.SyscallConn()
	if err != nil {
		return err
	}
	var sent error
	err = raw.Write(func(fd uintptr) bool {
		sent = unix.Sendmsg(int(fd), []byte{0}, unix.UnixRights(fds...), nil, 0)
		return !errors.Is(sent, unix.EAGAIN)
	})
	return os.NewSyscallError("sendmsg", errors.Join(err, sent))
}

// receive returns n descriptors that were sent over a socket.
func receive(over *os.File, n int) (fds []int, err error) {
	raw, err := over.SyscallConn()
	if err != nil {
		return nil, err
	}
	one, rights, got := make([]byte, 1), make([]byte, unix.CmsgSpace(4*n)), 0
	var failed error
	err = raw.Read(func(fd uintptr) bool {
		_, got, _, _, failed = unix.Recvmsg(int(fd), one, rights, unix.MSG_CMSG_CLOEXEC)
		return !errors.Is(failed, unix.EAGAIN)
	})
	if err = errors.Join(err, failed); err != nil {
		return nil, os.NewSyscallError("recvmsg", err)
	}
	list, err := unix.ParseSocketControlMessage(rights[:got])
	if err == nil && len(list) == 1 {
		fds, err = unix.ParseUnixRights(&list[0])
	}
	if err == nil && len(fds) != n {
		err = errors.New("descriptors are missing")
	}
	return fds, err
}
