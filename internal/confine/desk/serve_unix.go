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
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/session/socket"
	"swop/internal/session/supervise"
)

// The sockets of a session's desk: programs inside ask by the first, in [RuntimeDir]; the user answers by the second, in the session's
// directory, which nobody inside sees.
const (
	askSocket     = "ask.sock"
	controlSocket = "control.sock"
)

// maxAskers bounds the programs that wait for an answer.
const maxAskers = 16

// Desks is a supervisor's answer to a [Decision].
type Desks struct {
	Account   string     `json:"account"`
	Dir       string     `json:"dir"`
	Questions []Question `json:"questions"`
	Error     string     `json:"error,omitempty"`
}

// Open lets programs inside ask by a socket in runtime, which is shown at [RuntimeDir], and the user answer by another one in dir.
func (d *Desk) Open(runtime, dir string, about Desks) error {
	return errors.Join(
		d.Sockets.Listen(runtime, askSocket, maxAskers, func(conn *net.UnixConn) { Serve(conn, d.serveAsk) }),
		d.Sockets.Listen(dir, controlSocket, maxAskers, func(conn *net.UnixConn) { d.serveControl(conn, about) }),
	)
}

// streams is the number of a program's standard streams.
const streams = 3

// Serve reads one request of a program inside, and lets do answer. A request is a byte with the streams for a command, which are open until
// do returns, and a line of JSON. The numbers of signals for the command's helper follow.
func Serve(conn *net.UnixConn, do func(conn *net.UnixConn, r Request, rest *bufio.Reader, fds []int)) {
	fds, err := socket.Receive(conn)
	defer func() {
		for _, fd := range fds {
			_ = unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{}) // else Close may take a thread for long
			_ = unix.Close(fd)                                                             // nothing was written
		}
	}()
	if err != nil || len(fds) != streams {
		return
	}
	var r Request
	if in, err := socket.Hear(conn, maxRequest, &r); err == nil {
		do(conn, r, in, fds)
	}
}

func (d *Desk) serveAsk(conn *net.UnixConn, r Request, in *bufio.Reader, fds []int) {
	r.Gives = "" // this side's word alone
	if err := r.check(); err != nil {
		_ = json.NewEncoder(conn).Encode(Question{Ask: r.Ask, State: Forbidden, Why: "the request " + err.Error()}) // who asked may be gone
		return
	}
	gone := make(chan struct{})
	go func() {
		_, _ = in.ReadByte() // the asker is gone, or waits no longer
		close(gone)
	}()
	q := d.ask(r, gone)
	runs := q.State == Granted && r.RunsBeside() && q.ID != ""
	if runs {
		_ = conn.SetReadDeadline(time.Now()) // sockets have deadlines; later bytes are the command's
		<-gone
	}
	if json.NewEncoder(conn).Encode(q) != nil || !runs {
		return
	}
	r.Target = q.Target
	if err := d.Run(r, conn, fds); err != nil {
		_ = SayNotStarted(conn, err) // who asked may be gone
	}
}

// notStarted comes in the place of an errno for a program that was not even tried. The reason follows.
const notStarted = ^uint32(0)

// SayNotStarted tells why a program does not start.
func SayNotStarted(to io.Writer, why error) error {
	_, err := to.Write(append(binary.NativeEndian.AppendUint32(nil, notStarted), why.Error()...))
	return err
}

// Started waits until a helper says that its program runs, or why not: the error is a [syscall.Errno] for a program that was tried.
func Started(helper io.Reader) error {
	var errno uint32
	if binary.Read(helper, binary.NativeEndian, &errno) != nil {
		return errors.New("the process that starts it has ended")
	}
	switch errno {
	case 0:
		return nil
	case notStarted:
		const most = 4096
		why, _ := io.ReadAll(io.LimitReader(helper, most)) // a part of the reason is better than none
		return fmt.Errorf("not started: %s", why)
	}
	return syscall.Errno(errno)
}

// serveControl carries out a decision of the user's, or lists the questions. state is the answer without questions.
func (d *Desk) serveControl(conn *net.UnixConn, state Desks) {
	var of Decision
	_, err := socket.Hear(conn, maxRequest, &of)
	if err != nil {
		return
	}
	if state.Questions, err = d.decide(of); err != nil {
		state.Error = err.Error()
	}
	_ = json.NewEncoder(conn).Encode(state) // who asked may be gone
}

// Asking is a request that was sent from inside of a session. A command that runs is killed when this process ends.
type Asking struct {
	conn *net.UnixConn
	in   *bufio.Reader
}

// Connect sends a request to a socket in [RuntimeDir], from inside of a session. A command that runs beside the session has our streams.
func Connect(name string, r Request) (a Asking, err error) {
	if a.conn, err = net.DialUnix("unix", nil, &net.UnixAddr{Name: filepath.Join(RuntimeDir, name), Net: "unix"}); err != nil {
		return a, errors.New("swop does not answer; codex's own sandbox may block it: run this without that sandbox")
	}
	a.in = bufio.NewReader(a.conn)
	return a, errors.Join(socket.Pass(a.conn, 0, 1, 2), json.NewEncoder(a.conn).Encode(r))
}

// AskFor asks the user for something, from inside of a session, and waits for the answer.
func AskFor(r Request) (a Asking, answer Question, err error) {
	if a, err = Connect(askSocket, r); err != nil {
		return a, answer, err
	}
	line, err := a.in.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &answer)
	}
	if err != nil {
		err = errors.New("the session's supervisor gave no answer")
	}
	return a, answer, err
}

// Attend waits until a command that runs beside the session has ended. It passes signals on to the command, and stops and goes on with it.
// It returns the exit status, or why the command did not start.
func (a Asking) Attend() (int, error) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, supervise.Signals...)
	go func() {
		for s := range signals {
			sig, _ := s.(syscall.Signal)                               // on Unix each is
			_ = binary.Write(a.conn, binary.NativeEndian, uint32(sig)) // the command may have ended
			if sig == syscall.SIGTSTP || sig == syscall.SIGTTIN || sig == syscall.SIGTTOU {
				_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) // until SIGCONT
			}
		}
	}()
	err := Started(a.in)
	var status syscall.WaitStatus
	for running := err == nil; running; running = err == nil && status.Stopped() {
		err = binary.Read(a.in, binary.NativeEndian, &status)
	}
	switch {
	case errors.Is(err, io.EOF):
		err = errors.New("the command was ended with its session")
	case status.Signaled():
		return 128 + int(status.Signal()), nil
	}
	return status.ExitStatus(), err
}
