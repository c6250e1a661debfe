//go:build unix

package appserver

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// controlConn is a connection to an app-server's control socket: JSON-RPC in WebSocket messages (RFC 6455). It has no package net under
// it, whose deadlines need the time of day: the kernel counts here.
type controlConn struct {
	f     *os.File
	r     *bufio.Reader
	calls int
}

// controlPatience is how long one read or write may take. A live server answers in milliseconds: at most 90 on a loaded machine.
const controlPatience = 2 // seconds

// maxMessage is the most that the server sends in one frame, as it says (x-codex-websocket-max-unfragmented-message-bytes).
const maxMessage = 16 << 20

var errOtherServer = errors.New("another process answers on the control socket")

// dialControl returns a connection to the process called by pid. It fails, wrapping errOtherServer, if another process listens on socket.
func dialControl(socket string, pid int) (*controlConn, error) {
	f, err := connectUnix(socket)
	if err != nil {
		return nil, err
	}
	c := &controlConn{f: f, r: bufio.NewReader(f)}
	if peer, err := peerPID(int(f.Fd())); err != nil || peer != pid {
		c.close()
		return nil, errors.Join(err, errOtherServer)
	}
	if err := c.upgrade(); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// connectUnix returns a blocking stream to a socket, whose reads and writes fail after controlPatience. Since 0.158 the path is a link to
// a shorter one: a socket's address holds only about 100 bytes.
func connectUnix(socket string) (*os.File, error) {
	if target, err := os.Readlink(socket); err == nil {
		socket = target
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	unix.CloseOnExec(fd)
	f := os.NewFile(uintptr(fd), socket)
	limit := unix.Timeval{Sec: controlPatience}
	err = errors.Join(unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit),
		unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &limit),
		os.NewSyscallError("connect", unix.Connect(fd, &unix.SockaddrUnix{Name: socket})))
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (c *controlConn) close() { c.f.Close() }

// upgrade makes the stream a WebSocket. The key need not be random: no cache or browser sees it.
func (c *controlConn) upgrade() error {
	_, err := io.WriteString(c.f, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: c3dvcCBhc2tzIGNvZGV4IQ==\r\n\r\n")
	if err != nil {
		return err
	}
	status := ""
	for range maxHeaders {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if status == "" {
			status = string(line)
		}
		if string(line) != "\r\n" {
			continue
		}
		if strings.HasPrefix(status, "HTTP/1.1 101") {
			return nil
		}
		break
	}
	return fmt.Errorf("control socket: not a WebSocket: %q", status)
}

// maxHeaders limits the lines of the answer's header; the real one has five.
const maxHeaders = 100

const (
	finBit    = 0x80
	maskBit   = 0x80
	opMore    = 0x0
	opText    = 0x1
	opClose   = 0x8
	lenIs16   = 126
	lenIs64   = 127
	opcodeSet = 0x0f
)

// send writes one text message. A client's bytes must be masked; the mask may be zeros.
func (c *controlConn) send(message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if len(text) > 1<<16-1 {
		return fmt.Errorf("control socket: message of %d bytes is too long", len(text))
	}
	frame := []byte{finBit | opText, maskBit | lenIs16}
	frame = binary.BigEndian.AppendUint16(frame, uint16(len(text)))
	frame = append(frame, 0, 0, 0, 0)
	_, err = c.f.Write(append(frame, text...))
	return err
}

// receive returns the next text message. It does not answer pings: the connection ends before that matters.
func (c *controlConn) receive() ([]byte, error) {
	var text []byte
	for {
		first, payload, err := c.frame()
		if err != nil {
			return nil, err
		}
		switch first & opcodeSet {
		case opText, opMore:
			text = append(text, payload...)
		case opClose:
			return nil, io.EOF
		default:
			continue
		}
		if len(text) > maxMessage {
			return nil, errTooLong
		}
		if first&finBit != 0 {
			return text, nil
		}
	}
}

var errTooLong = errors.New("control socket: message too long")

// frame returns the first byte and the payload of the next frame.
func (c *controlConn) frame() (byte, []byte, error) {
	var head [2]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		return 0, nil, err
	}
	length := uint64(head[1] &^ maskBit) // a server does not mask
	if size := map[uint64]int{lenIs16: 2, lenIs64: 8}[length]; size > 0 {
		var more [8]byte
		if _, err := io.ReadFull(c.r, more[8-size:]); err != nil {
			return 0, nil, err
		}
		length = binary.BigEndian.Uint64(more[:])
	}
	if length > maxMessage {
		return 0, nil, errTooLong
	}
	payload := make([]byte, length)
	_, err := io.ReadFull(c.r, payload)
	return head[0], payload, err
}
