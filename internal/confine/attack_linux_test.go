package confine_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
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
	os.Exit(testhome.Suite{Tests: m, Programs: []string{"userns", "bwrap"}}.Run())
}

// attackMain is a program for what no shell can do. It exits with 0 where that worked.
func attackMain() {
	var err error
	switch os.Args[1] {
	case "unix":
		err = reach(os.Args[2])
	case "listen":
		_, err = net.Listen("unix", os.Args[2])
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
			if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCSTI, uintptr(unsafe.Pointer(&[]byte("x")[0]))); errno != 0 {
				return errno
			}
			return nil
		})
	case "escape":
		err = escape(os.Args[2:])
	case "escaped":
		if err = leaveMounts("sub"); err == nil {
			err = tamper(os.Args[2], os.Args[3])
		}
	case "put", "see":
		err = tamper(os.Args[1], os.Args[2])
	case "namespaces": // more than a session gets
		runtime.LockOSThread()
		for n := 0; n < 1000 && err == nil; n++ {
			_, err2 := unix.Open("/proc/thread-self/ns/uts", unix.O_RDONLY, 0)
			err = errors.Join(err2, unix.Unshare(unix.CLONE_NEWUTS))
		}
	case "keyring":
		_, err = unix.AddKey("user", "swop-test", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "attack:", err)
		os.Exit(1)
	}
}

// escape lets this program tamper in a mount namespace of its own, with the working directory as standard input.
func escape(args []string) error {
	here, err := os.Open(".")
	if err != nil {
		return err
	}
	own := func(id int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
	}
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Args, cmd.Stdin, cmd.Stdout, cmd.Stderr = append([]string{"attack", "escaped"}, args...), here, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS, UidMappings: own(os.Getuid()), GidMappings: own(os.Getgid()),
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN},
	}
	return cmd.Run()
}

// leaveMounts makes a directory the root, and leaves all mounts behind, covers among them.
func leaveMounts(dir string) error {
	if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
		return err
	}
	if err := unix.Mount(dir, dir, "", unix.MS_BIND, ""); err != nil {
		return err
	}
	return errors.Join(unix.Chdir(dir), unix.PivotRoot(".", "."), unix.Unmount(".", unix.MNT_DETACH), unix.Chdir("/"))
}

// tamper puts another directory with a file in the place of one below standard input, or takes one to the root, which is sub there, and
// sees a file in it.
func tamper(how, name string) error {
	if how == "put" {
		err := errors.Join(unix.Renameat(0, name, 0, "taken"), unix.Mkdirat(0, name, 0o700))
		return errors.Join(err, unix.Mknodat(0, name+"/evil", unix.S_IFREG|0o600, 0))
	}
	err := unix.Renameat(0, name, 0, "sub/taken")
	if text := testhome.TextOf("/taken/file"); !strings.Contains(text, "hidden-secret") {
		err = errors.Join(err, fmt.Errorf("it sees %q", text))
	}
	return err
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
