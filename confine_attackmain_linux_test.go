package swop_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"swop/confine"
	"swop/internal/testhome"
)

func reachLater() error {
	err := os.WriteFile("asked", nil, 0o600)
	for range 1000 {
		if testhome.Exists("late.sock") {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return errors.Join(err, reach("late.sock"))
}

// attackMain is a program for what no shell can do. It exits with 0 where that worked.
func attackMain() {
	var err error
	switch os.Args[1] {
	case "unix":
		err = reach(os.Args[2])
	case "abstract":
		err = reach("@" + os.Args[2])
	case "later":
		err = reachLater()
	case "datagram":
		var conn net.Conn
		if conn, err = net.Dial("unixgram", os.Args[2]); err == nil {
			_, err = conn.Write([]byte("x"))
		}
	case "trace":
		first := os.Getppid()
		if _, err := confine.ReadInside(); err == nil {
			first = 1
		}
		err = unix.PtraceSeize(first)
	case "type":
		err = inTerminal(func(fd int) error {
			return ioctl(fd, unix.TIOCSTI, "x")
		})
	case "paste":
		err = inTerminal(func(fd int) error {
			if err := ioctl(fd, 0x541c, "\x02"); errors.Is(err, unix.EPERM) { // TIOCLINUX
				return err
			}
			return nil // a terminal that is no console knows no such call, which is the terminal's answer
		})
	case "scribble":
		err = scribble(os.Args[2], os.Args[3])
	case "async":
		if _, err = unix.FcntlInt(0, unix.F_SETSIG, int(unix.SIGURG)); err == nil {
			_, err = unix.FcntlInt(0, unix.F_SETFL, unix.O_RDWR|unix.O_ASYNC)
		}
	case "keyring":
		_, err = unix.AddKey("user", "swop-test", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "attack:", err)
		os.Exit(1)
	}
}

func reach(address string) error {
	conn, err := net.Dial("unix", address)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(conn)
	if err == nil && !strings.Contains(string(text), "reached") {
		err = fmt.Errorf("it answers %q", text)
	}
	return err
}

// inTerminal calls f with a new terminal, which controls this process.
func inTerminal(f func(fd int) error) error {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		return err
	}
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	_, _ = unix.Setsid() // it may lead a session already
	if err := unix.IoctlSetInt(int(slave.Fd()), unix.TIOCSCTTY, 0); err != nil {
		return err
	}
	return f(int(slave.Fd()))
}

func ioctl(fd int, request uintptr, value string) error {
	text := []byte(value)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(unsafe.Pointer(&text[0]))); errno != 0 {
		return errno
	}
	return nil
}
