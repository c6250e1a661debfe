package mount

import (
	"encoding/gob"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/session/socket"
)

// Kind says how a path is shown.
type Kind uint8

const (
	Writable  Kind = iota // the host's, writable
	Readonly              // the host's, not writable
	Empty                 // an empty directory of the session's own, whose entries end with the session
	Composed              // the same, to be sealed: it has nothing but the mounts in it
	Sealed                // what is mounted there already, not writable any more
	Opened                // the opposite: mounts are made in it
	Directory             // a directory where there is none
	Link                  // a symbolic link to source
	Device                // the host's, which can be opened as a device
	Terminals             // terminals of the session's own
	Processes             // the processes in the namespace of the process that mounts
	Again                 // what is mounted at a path inside, with all in it
)

// Mount shows a path of the host, or a directory of the session's own, at a path inside. A later one covers an earlier one.
type Mount struct {
	Kind   Kind
	Source string // the path of the host, the text of a link, the path inside, or the mode of an empty directory, "" for 0755
	Target string
}

// Program is what a helper starts.
type Program struct {
	Nested    bool     // it can make mount namespaces, and sockets in all directories
	Sockets   []string // the directories in which it can make sockets else
	Dir, Path string
	Args      []string
	Env       config.Env

	OwnSession bool // it leads a session of Unix: see setsid(2)
}

// Plan is a program for [Run] to start by a helper, and the mounts for the program. The first plan is the session's; the programs of the
// later ones run beside the session, in a copy of its mount namespace, with the helper's socket and streams that come with the plan.
type Plan struct {
	Helper  string // the path of a program that starts another one when it is called [HelperName]
	Program Program
	Mounts  []Mount
	Listen  []int // of the session's plan: ports of its own network; the supervisor gets a listener for each
	Reach   []int // likewise; a listener for the same port outside, which leads there, comes with the plan

	Signal unix.Signal // for all processes inside, in the place of a program; 0 for none
}

// control is one end of the socket between [Run] and the supervisor, which sends plans, and waits for the answer to each. Descriptors come
// before their plan or answer. Strings keep their bytes, also those that are no UTF-8.
type control struct {
	mu *sync.Mutex // one plan after the other
	*net.UnixConn
	*gob.Encoder
	*gob.Decoder
}

// newControl returns the end of a file, and closes the file.
func newControl(file *os.File) (c control, err error) {
	defer file.Close()
	conn, err := net.FileConn(file)
	of, ok := conn.(*net.UnixConn)
	if !ok {
		return c, errors.Join(err, errors.New("no socket"))
	}
	return control{new(sync.Mutex), of, gob.NewEncoder(of), gob.NewDecoder(of)}, nil
}

func (c control) send(of any, fds ...int) error {
	return errors.Join(socket.Pass(c.UnixConn, fds...), c.Encode(of))
}

func (c control) next(of any) (fds []int, err error) {
	if fds, err = socket.Receive(c.UnixConn); err == nil {
		err = c.Decode(of)
	}
	return fds, err
}

// ask sends a plan, and returns the descriptors of the answer. The error says why the plan was not carried out.
func (c control) ask(of any, fds ...int) (got []int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var failed string // why a plan was not carried out
	if err = c.send(of, fds...); err == nil {
		got, err = c.next(&failed)
	}
	switch {
	case err != nil:
		return nil, errors.New("the process that mounts has ended")
	case failed != "":
		return nil, errors.New(failed)
	}
	return got, nil
}

// say answers a plan.
func (c control) say(err error, fds ...int) {
	why := ""
	if err != nil {
		why = err.Error()
	}
	_ = c.send(why, fds...) // where the supervisor is gone, the next plan is missing
}

// listen returns the descriptor of a listener for each port of the loopback interface.
func listen(ports []int) (fds []int, err error) {
	for _, port := range ports {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return fds, os.NewSyscallError("socket", err)
		}
		fds = append(fds, fd)
		err = errors.Join(
			unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1),
			unix.Bind(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}), unix.Listen(fd, unix.SOMAXCONN),
		)
		if err != nil {
			return fds, fmt.Errorf("listen at port %d: %w", port, err)
		}
	}
	return fds, nil
}

// listenersOf returns the listeners of descriptors, and closes the descriptors.
func listenersOf(fds []int) (list []net.Listener, err error) {
	for _, fd := range fds {
		file := os.NewFile(uintptr(fd), "listener")
		l, err := net.FileListener(file)
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}

func closeAll(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd) // nothing was written
	}
}
