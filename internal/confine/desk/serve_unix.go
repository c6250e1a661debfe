//go:build unix

package desk

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/session/socket"
)

// Open lets programs inside ask by a socket in runtime, which they have at [RuntimeDir], and the user answer by one in dir.
func (d *Desk) Open(runtime, dir string, about Desks) error {
	l, err := socket.Listen(runtime, AskSocket)
	if err != nil {
		return err
	}
	d.asks = l
	go func() {
		places := make(chan struct{}, maxAskers)
		for {
			places <- struct{}{}
			conn, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			go func() {
				defer func() { <-places }()
				if of, ok := conn.(*net.UnixConn); ok && err == nil {
					defer of.Close()
					d.serveAsk(of)
				}
			}()
		}
	}()
	return d.controls.Listen(dir, controlSocket, func(conn net.Conn, line []byte, _ io.Reader) { d.serveControl(conn, line, about) })
}

// maxAskers bounds the programs that wait for an answer.
const maxAskers = 16

// Close closes the sockets. Commands that run beside the session end with it.
func (d *Desk) Close() error {
	if d.asks == nil {
		return d.controls.Close()
	}
	return errors.Join(d.asks.Close(), d.controls.Close())
}

// streams are those of a program that asks.
const streams = 3

// hearing bounds how long a program takes to say what it wants.
const hearing = 30 * time.Second

// serveAsk answers one request of a program inside: a byte with the streams that a command is to have, and a line of JSON. Then come the
// numbers of signals for the command's helper.
func (d *Desk) serveAsk(conn *net.UnixConn) {
	_ = conn.SetReadDeadline(time.Now().Add(hearing)) // it works for a socket
	fds, err := socket.Receive(conn)                  // the streams
	defer func() {
		for _, fd := range fds {
			_ = unix.Close(fd) // nothing was written
		}
	}()
	if err != nil || len(fds) != streams {
		return
	}
	in := bufio.NewReader(io.LimitReader(conn, maxRequest))
	line, err := in.ReadBytes('\n')
	if err != nil {
		return
	}
	_ = conn.SetReadDeadline(time.Time{}) // likewise
	r, err := readRequest(line)
	if err != nil {
		_ = json.NewEncoder(conn).Encode(Question{Ask: r.Ask}.verdict(Forbidden, "the request "+err.Error())) // who asked may be gone
		return
	}
	gone := make(chan struct{})
	go func() {
		_, _ = in.ReadByte() // who asked is gone, or waits no longer
		close(gone)
	}()
	v := d.ask(r, gone)
	if v.Verdict != Granted || len(r.Command) == 0 || r.Kind == KindConnect || v.Reason != "" {
		_ = json.NewEncoder(conn).Encode(v) // who asked may be gone
		return
	}
	_ = conn.SetReadDeadline(time.Now()) // likewise: what comes now is the command's
	<-gone
	v.Beside, r.Target = true, v.Target
	if json.NewEncoder(conn).Encode(v) != nil {
		return
	}
	if err := d.Giver.Run(r, conn, fds); err != nil {
		_ = SayNotStarted(conn, err) // who asked may be gone
	}
}

// notStarted is what comes in the place of an errno for a program that was not even tried. The reason follows.
const notStarted = ^uint32(0)

// SayNotStarted tells why a program does not start.
func SayNotStarted(to io.Writer, why error) error {
	_, err := to.Write(append(binary.NativeEndian.AppendUint32(nil, notStarted), why.Error()...))
	return err
}

// ErrNotStarted is wrapped by the error of [Started] for a program that was not even tried.
var ErrNotStarted = errors.New("not started")

// Started waits until a helper says that its program runs, or why not: the error is a [syscall.Errno], or wraps [ErrNotStarted], or is that
// of the reader.
func Started(helper io.Reader) error {
	var errno uint32
	if err := binary.Read(helper, binary.NativeEndian, &errno); err != nil {
		return err
	}
	switch errno {
	case 0:
		return nil
	case notStarted:
		const most = 4096
		why, _ := io.ReadAll(io.LimitReader(helper, most)) // what cannot be read says no more
		return fmt.Errorf("%w: %s", ErrNotStarted, why)
	}
	return syscall.Errno(errno)
}

// serveControl carries out a decision of the user's, or lists the questions where there is none. state is what the answer says beside that.
func (d *Desk) serveControl(conn net.Conn, line []byte, state Desks) {
	var of Decision
	err := json.Unmarshal(line, &of)
	switch {
	case err != nil:
		return
	case of.Of == "":
		state.Questions = d.List()
	default:
		state.Questions, err = d.decide(of)
	}
	if err != nil {
		state.Error = err.Error()
	}
	_ = json.NewEncoder(conn).Encode(state) // who asked may be gone
}

// Asking is a request that was sent from inside of a session.
type Asking struct {
	conn *net.UnixConn
	in   *bufio.Reader
}

// AskFor asks the user for something, from inside of a session, and waits for the answer. A command that is to run beside the session has
// the streams.
func AskFor(r Request, of [streams]int) (a Asking, v Verdict, err error) {
	a.conn, err = net.DialUnix("unix", nil, &net.UnixAddr{Name: filepath.Join(RuntimeDir, AskSocket), Net: "unix"})
	if err != nil {
		return a, v, errors.New("swop does not answer; codex's own sandbox may block it: run this without that sandbox")
	}
	a.in = bufio.NewReader(a.conn)
	if err = socket.Pass(a.conn, of[:]...); err == nil {
		err = json.NewEncoder(a.conn).Encode(r)
	}
	var line []byte
	if err == nil {
		line, err = a.in.ReadBytes('\n')
	}
	if err == nil {
		err = json.Unmarshal(line, &v)
	}
	if err != nil {
		_ = a.conn.Close() // nothing was answered
		return a, v, errors.New("the session's supervisor gave no answer")
	}
	return a, v, nil
}

// Signal sends the command a signal. It may have ended.
func (a Asking) Signal(sig syscall.Signal) {
	_ = binary.Write(a.conn, binary.NativeEndian, uint32(sig))
}

// Wait returns how the command ended, or why it did not start.
func (a Asking) Wait() (status syscall.WaitStatus, err error) {
	err = Started(a.in)
	for running := err == nil; running; running = err == nil && status.Stopped() {
		err = binary.Read(a.in, binary.NativeEndian, &status)
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("the command was ended with its session")
	}
	return status, err
}

// Close lets a command that runs be killed.
func (a Asking) Close() error { return a.conn.Close() }
