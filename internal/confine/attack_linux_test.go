package confine_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"swop/internal/confine"
	"swop/internal/test/testhome"
)

// TestMain lets this program be the one of attacks.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "attack" {
		attackMain()
		return
	}
	os.Exit(testhome.Suite{Tests: m, Programs: []string{"userns"}}.Run())
}

// attackMain is a program for what no shell can do. It exits with 0 where that worked.
func attackMain() {
	var err error
	switch os.Args[1] {
	case "unix":
		err = reach(os.Args[2])
	case "abstract":
		err = reach("@" + os.Args[2])
	case "tcp":
		var conn net.Conn
		if conn, err = net.DialTimeout("tcp", os.Args[2], time.Second); err == nil {
			_ = conn.Close() // nothing was written
		}
	case "again": // what standard input is
		port, _ := strconv.Atoi(os.Args[2]) // 0 fails
		err = unix.Connect(0, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	case "proxy":
		transport := &http.Transport{}
		if proxy, err := url.Parse(os.Getenv("http_proxy")); err == nil && proxy.Host != "" {
			transport.Proxy = http.ProxyURL(proxy)
		}
		client := http.Client{Transport: transport}
		var answer *http.Response
		if answer, err = client.Get(os.Args[2]); err == nil && answer.StatusCode != http.StatusOK {
			err = errors.New(answer.Status)
		}
	case "vsock":
		_, err = unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)
	case "setuid-open":
		_, err = unix.Open(os.Args[2], unix.O_CREAT|unix.O_WRONLY, 0o4755)
	case "setuid-openat2":
		_, err = unix.Openat2(unix.AT_FDCWD, os.Args[2], &unix.OpenHow{Flags: unix.O_CREAT | unix.O_WRONLY, Mode: 0o4755})
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
