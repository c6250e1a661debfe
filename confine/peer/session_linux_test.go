package peer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// This program is all that a test needs, by the variable PEER: what listens outside, the first program of a session, and what runs in it.
func TestMain(m *testing.M) {
	switch role := os.Getenv("PEER"); role {
	case "":
		os.Exit(testhome.Suite{Tests: m, Programs: []string{"bwrap"}}.Run())
	case "outside":
		listenOutside(os.Args[1])
	case "first":
		fmt.Fprintln(os.Stderr, runFirst())
	default:
		if err := roles()[role](os.Args[1]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(125)
}

// roles are what runs in a session, each with the directory of the test.
func roles() map[string]func(dir string) error {
	list := map[string]func(dir string) error{
		"again": stream("DIR/plain"), "own": stream("DIR/own"), "serve": serveForever, "leave": leave, "stay": stay, "hang": hang, "landlock": tryLandlock, "tell": tell,
	}
	for _, w := range ways {
		list[w.name] = w.try
	}
	for _, w := range works {
		list["works: "+w.name] = w.do
	}
	return list
}

// runFirst seals a session and becomes what runs in it.
func runFirst() error {
	runtime.LockOSThread()
	const socket = 3
	unix.CloseOnExec(socket)
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return err
	}
	listener, err := Restrict()
	if err == nil {
		err = Send(os.NewFile(socket, "socket"), listener)
	}
	if err != nil {
		return err
	}
	path, err := exec.LookPath(os.Args[1])
	if err == nil {
		err = syscall.Exec(path, os.Args[1:], environment("PEER="+os.Getenv("THEN")))
	}
	return err
}

// session runs a command free, or in a session that may connect to what is allowed, and returns what it prints.
type session struct {
	confined bool
	network  bool // a network namespace of its own
	allowed  []string
	refused  func(string)
	told     *Told
}

func (s session) run(t *testing.T, role string, args ...string) (string, error) {
	t.Helper()
	ours, theirs := socketPair(t)
	defer ours.Close()
	var out bytes.Buffer
	cmd := exec.Command("bwrap", "--unshare-user", "--unshare-pid", "--as-pid-1", "--die-with-parent", "--cap-drop", "ALL", "--dev-bind", "/", "/", "--proc", "/proc")
	if os.Geteuid() == 0 {
		cmd.Args = append(cmd.Args, "--cap-add", "CAP_SETFCAP")
	}
	if s.network {
		cmd.Args = append(cmd.Args, "--unshare-net")
	}
	cmd.Args = append(append(cmd.Args, "--", self(t)), args...)
	cmd.Env = environment("PEER=first", "THEN="+role)
	if !s.confined {
		cmd = exec.Command(args[0], args[1:]...)
		cmd.Env = environment("PEER=" + role)
	}
	datagrams, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	testhome.NoError(t, err)
	given := os.NewFile(uintptr(datagrams), "datagrams")
	defer given.Close()
	cmd.Stdin, cmd.ExtraFiles = given, []*os.File{theirs}
	cmd.Stdout, cmd.Stderr = &out, &out
	testhome.NoError(t, cmd.Start())
	testhome.NoError(t, theirs.Close())
	if s.confined {
		listener, err := Receive(ours)
		if err != nil {
			_ = cmd.Wait() // what it printed says more
			t.Fatalf("the session does not start: %v\n%s", err, out.String())
		}
		served := make(chan error)
		go func() { served <- Serve(listener, Options{Allowed: s.allowed, Refused: s.refused, Told: s.told}) }()
		_, err = ours.Write([]byte{0})
		testhome.NoError(t, err)
		defer func() { testhome.NoError(t, <-served) }()
	}
	err = cmd.Wait()
	return out.String(), err
}

// environment is that of this process, for another role.
func environment(role ...string) []string {
	return append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PEER=") }), role...)
}

func socketPair(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	testhome.NoError(t, err)
	return os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	testhome.NoError(t, err)
	return path
}

// outside is a program outside, with a socket of every kind in its directory.
type outside struct {
	dir    string
	orders *os.File
	lines  *bufio.Scanner
}

func startOutside(t *testing.T) *outside {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "peer-") // a file system that gives the numbers of files again
	testhome.NoError(t, err)
	t.Cleanup(func() { testhome.NoError(t, os.RemoveAll(dir)) })
	cmd := exec.Command(self(t), dir)
	cmd.Env = environment("PEER=outside")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	testhome.NoError(t, err)
	out, err := cmd.StdoutPipe()
	testhome.NoError(t, err)
	testhome.NoError(t, cmd.Start())
	t.Cleanup(func() { _, _ = in.Close(), cmd.Wait() })
	o := &outside{dir: dir, orders: in.(*os.File), lines: bufio.NewScanner(out)}
	o.ask(t, "")
	return o
}

// ask sends an order, and returns what was seen since the last one.
func (o *outside) ask(t *testing.T, order string) (seen []string) {
	t.Helper()
	_, err := fmt.Fprintln(o.orders, order)
	testhome.NoError(t, err)
	for o.lines.Scan() && o.lines.Text() != "done" {
		seen = append(seen, o.lines.Text())
	}
	return seen
}

// listenOutside says "done" after each line that it reads, and tells what it saw before that.
func listenOutside(dir string) {
	must(os.Chdir(dir))
	const stream, records = unix.SOCK_STREAM, unix.SOCK_SEQPACKET
	outsideListens(stream, filepath.Join(dir, "plain"))
	outsideListens(stream, "relative")
	outsideListens(stream, filepath.Join(dir, "before"))
	must(os.Rename("before", "moved"))
	outsideListens(stream, filepath.Join(dir, "hidden"))
	must(os.Link("hidden", "linked"))
	must(os.Remove("hidden"))
	must(os.Symlink("plain", "symlink"))
	must(os.Mkdir("below", 0o700))
	outsideListens(records, filepath.Join(dir, "records"))
	outsideListens(stream, abstractIn(dir, "plain"))
	outsideListens(records, abstractIn(dir, "records"))
	outsideListens(stream, filepath.Join(dir, "allowed"))
	for _, place := range []string{filepath.Join(dir, "datagrams"), abstractIn(dir, "datagrams")} {
		fd := bound(unix.SOCK_DGRAM, place)
		go func() {
			for buffer := make([]byte, 10); ; {
				n, _, err := unix.Recvfrom(fd, buffer, 0)
				must(err)
				fmt.Printf("a datagram: %s\n", buffer[:n])
			}
		}()
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); fmt.Println("done") {
		if lines.Text() != "" {
			outsideListens(stream, strings.Replace(lines.Text(), "@", "\x00", 1))
		}
	}
}

func outsideListens(kind int, place string) {
	fd := bound(kind, place)
	must(unix.Listen(fd, 100))
	go func() {
		for {
			conn, _, err := unix.Accept4(fd, unix.SOCK_CLOEXEC)
			must(err)
			go func() {
				fmt.Printf("a visit to %q\n", filepath.Base(place))
				_, _ = unix.Write(conn, []byte("reached")) // it may be gone
				must(unix.Close(conn))
			}()
		}
	}()
}

// abstractIn is a name of the abstract space, for the test with the directory.
func abstractIn(dir, what string) string { return "@" + filepath.Base(dir) + "-" + what }

func bound(kind int, place string) int {
	fd, err := unix.Socket(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	must(err)
	must(unix.Bind(fd, &unix.SockaddrUnix{Name: place}))
	return fd
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// reach connects, and fails where no listener says that it was reached.
func reach(kind int, place string) error {
	fd, err := unix.Socket(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: place}); err != nil {
		return err
	}
	return greeted(fd)
}

var errSilent = errors.New("nobody answers")

func greeted(fd int) error {
	text := make([]byte, 10)
	if n, err := unix.Read(fd, text); err != nil || string(text[:n]) != "reached" {
		return errors.Join(err, errSilent)
	}
	return nil
}
