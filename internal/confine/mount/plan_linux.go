package mount

import (
	"encoding/gob"
	"errors"
	"net"
	"os"

	"swop/internal/session/socket"
)

// Plan is what [Run] is to do.
type Plan struct {
	Order
	OwnNetwork bool     // the session has no network but its own: see [Namespaces]
	Listen     []string // addresses in that network; the supervisor gets a listener for each
	Reach      []int    // ports in that network; the supervisor passes a listener for each, which leads there
}

// Order is a program that is to run, which calls [Finish], and what is mounted for it. One that is sent after the plan runs beside the
// session, in a copy of its mount namespace: its helper's socket and its streams are passed with it.
type Order struct {
	Program   string
	Args, Env []string
	Mounts    []Mount
}

// answer says how it went with the plan or an order.
type answer struct{ Error string }

// control is one end of the socket between [Run] and the supervisor. That sends a [Plan], then orders, and waits for the answer to each;
// descriptors come before what they belong to. Strings keep their bytes, whatever they are.
type control struct {
	*net.UnixConn
	*gob.Encoder
	*gob.Decoder
}

// newControl returns the end that a file is, which is closed.
func newControl(file *os.File) (c control, err error) {
	defer file.Close()
	conn, err := net.FileConn(file)
	of, ok := conn.(*net.UnixConn)
	if !ok {
		return c, errors.Join(err, errors.New("no socket"))
	}
	return control{of, gob.NewEncoder(of), gob.NewDecoder(of)}, nil
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

// ask sends a plan or an order, and returns the descriptors of the answer, or what is wrong.
func (c control) ask(of any, fds ...int) (got []int, err error) {
	var a answer
	if err = c.send(of, fds...); err == nil {
		got, err = c.next(&a)
	}
	switch {
	case err != nil:
		return nil, errors.New("the process that mounts has ended")
	case a.Error != "":
		return nil, errors.New(a.Error)
	}
	return got, nil
}

// say answers.
func (c control) say(err error, fds ...int) error {
	if err != nil {
		return errors.Join(err, c.send(answer{err.Error()}))
	}
	return c.send(answer{}, fds...)
}
