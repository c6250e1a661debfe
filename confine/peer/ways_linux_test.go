package peer

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// way is a way to a program outside that must lead nowhere.
type way struct {
	name string
	try  func(dir string) error
	ask  string // what the program outside is told when the way asks for it
	root bool   // it leads somewhere for root alone
}

func stream(place string) func(string) error {
	return func(dir string) error { return reach(unix.SOCK_STREAM, strings.ReplaceAll(place, "DIR", dir)) }
}

const longestRace = time.Second

var ways = []way{
	{name: "a path", try: stream("DIR/plain")},
	{name: "a path with ..", try: stream("DIR/below/../plain")},
	{name: "a symbolic link", try: stream("DIR/symlink")},
	{name: "bound by a relative path", try: stream("DIR/relative")},
	{name: "moved since it was bound", try: stream("DIR/moved")},
	{name: "a hard link", try: stream("DIR/linked")},
	{name: "by /proc/self/root", try: stream("/proc/self/rootDIR/plain")},
	{name: "a relative path", try: in("below", stream("../plain"))},
	{name: "by /proc/self/cwd", try: in("", stream("/proc/self/cwd/plain"))},
	{name: "the list of processes outside", try: func(string) error {
		if err := reach(unix.SOCK_STREAM, "/proc/self/../self/status"); errors.Is(err, unix.ECONNREFUSED) || errors.Is(err, unix.EACCES) {
			return nil // it is there, and no socket
		}
		return errSilent
	}},
	{name: "a hard link of one's own", try: func(dir string) error {
		return errors.Join(os.Link(dir+"/plain", dir+"/mine"), reach(unix.SOCK_STREAM, dir+"/mine"), os.Remove(dir+"/mine"))
	}},
	{name: "by a descriptor", try: func(dir string) error {
		fd, err := unix.Open(dir+"/plain", unix.O_PATH, 0)
		return errors.Join(err, reach(unix.SOCK_STREAM, fmt.Sprintf("/proc/self/fd/%d", fd)), reach(unix.SOCK_STREAM, fmt.Sprintf("/dev/fd/%d", fd)))
	}},
	{name: "mounted elsewhere", try: inShell(`mount --rbind "$1" "$1/below" && cd "$1/below" && PEER=again exec "$0" "$1/below"`, "-rm")},
	{name: "from another network namespace", try: inShell(`PEER=again exec "$0" "$1"`, "-rn")},
	{name: "an abstract name", try: func(dir string) error { return reach(unix.SOCK_STREAM, abstractIn(dir, "plain")) }},
	{name: "records", try: func(dir string) error { return reach(unix.SOCK_SEQPACKET, dir+"/records") }},
	{name: "records by an abstract name", try: func(dir string) error { return reach(unix.SOCK_SEQPACKET, abstractIn(dir, "records")) }},
	{name: "made later", try: later(func(string) error { return nil }, "late"), ask: "late"},
	{name: "the number of a file that was one's own", try: later(func(dir string) error {
		return errors.Join(unix.Close(serve(dir+"/late")), os.Remove(dir+"/late"))
	}, "late"), ask: "late"},
	{name: "an abstract name that was one's own", try: later(func(dir string) error { return unix.Close(serve(abstractIn(dir, "mine"))) }, "@mine"), ask: "@mine"},
	{name: "an abstract name that was one's own, by a descriptor that is another", try: later(func(dir string) error {
		err := unix.Close(serve(abstractIn(dir, "mine")))
		serve(dir + "/other")
		return err
	}, "@mine"), ask: "@mine"},
	{name: "a name swapped before it is listened on", try: func(dir string) error {
		return swapped(dir, func(fd int) error { return errors.Join(swap(dir), unix.Listen(fd, 9)) })
	}},
	{name: "a name swapped after it is listened on", try: func(dir string) error {
		return swapped(dir, func(fd int) error { return errors.Join(unix.Listen(fd, 9), swap(dir)) })
	}},
	{name: "a race for the descriptor", try: raceDescriptor},
	{name: "a race for the address", try: raceAddress},
	{name: "a datagram", try: sendBy(unix.SOCK_DGRAM, "DIR/datagrams")},
	{name: "a datagram to an abstract name", try: sendBy(unix.SOCK_DGRAM, "@")},
	{name: "a datagram by a raw socket", try: sendBy(unix.SOCK_RAW, "DIR/datagrams")},
	{name: "a datagram from a pair", try: func(dir string) error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return errors.Join(unix.Sendto(pair[0], []byte("sent"), 0, &unix.SockaddrUnix{Name: dir + "/datagrams"}), read(pair[1]))
	}},
	{name: "a connected datagram", try: func(dir string) error {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err == nil {
			err = unix.Connect(fd, &unix.SockaddrUnix{Name: dir + "/datagrams"})
		}
		return err
	}},
	{name: "a datagram by a socket that it was given", try: func(dir string) error {
		return unix.Sendto(0, []byte("sent"), 0, &unix.SockaddrUnix{Name: dir + "/datagrams"})
	}},
	{name: "the process at the other end", try: signalPeer},
	{name: "events of devices, by netlink", try: func(string) error { return connectNetlink(unix.SockaddrNetlink{Groups: 2}) }, root: true},
	{name: "a program's netlink socket", try: func(string) error { return connectNetlink(unix.SockaddrNetlink{Pid: 1}) }, root: true},
	{name: "bytes of a sibling", try: siblingWrites},
}

func in(below string, try func(string) error) func(string) error {
	return func(dir string) error { return errors.Join(os.Chdir(filepath.Join(dir, below)), try(dir)) }
}

// inShell tries the first way from other namespaces.
func inShell(script string, flags string) func(string) error {
	return func(dir string) error {
		path, err := os.Executable()
		if err != nil {
			return err
		}
		if out, err := exec.Command("unshare", flags, "sh", "-c", script, path, dir).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
}

// later has the program outside listen after what was done before.
func later(before func(dir string) error, name string) func(string) error {
	return func(dir string) error {
		place := dir + "/late"
		if name[0] == '@' {
			place = abstractIn(dir, name[1:])
		}
		if err := before(dir); err != nil {
			return err
		}
		if err := os.WriteFile(dir+"/asked", nil, 0o600); err != nil {
			return err
		}
		for range 1000 {
			if _, err := os.Stat(dir + "/asked"); err != nil {
				return reach(unix.SOCK_STREAM, place)
			}
			time.Sleep(time.Millisecond)
		}
		return errSilent
	}
}

// serve answers on a socket inside, but not as the one outside does.
func serve(place string) int {
	fd := bound(unix.SOCK_STREAM, place)
	must(unix.Listen(fd, 100))
	return fd
}

func acceptAll(fd int) {
	for {
		conn, _, err := unix.Accept4(fd, unix.SOCK_CLOEXEC)
		if err != nil {
			return
		}
		_, _ = unix.Write(conn, []byte("inside")) // it may be gone
		must(unix.Close(conn))
	}
}

func swap(dir string) error {
	return errors.Join(os.Rename(dir+"/mine", dir+"/gone"), os.Link(dir+"/plain", dir+"/mine"))
}

func swapped(dir string, listen func(fd int) error) error {
	fd := bound(unix.SOCK_STREAM, dir+"/mine")
	defer os.Remove(dir + "/mine")
	defer os.Remove(dir + "/gone")
	return errors.Join(listen(fd), reach(unix.SOCK_STREAM, dir+"/mine"))
}

// signalPeer signals the process that the kernel says is at the other end of a connection, or takes a descriptor of it.
func signalPeer(dir string) error {
	const peerPidfd = 77 // SO_PEERPIDFD, from Linux 6.5 on
	serve(dir + "/mine")
	client, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	must(err)
	must(unix.Connect(client, &unix.SockaddrUnix{Name: dir + "/mine"}))
	process, err := unix.GetsockoptInt(client, unix.SOL_SOCKET, peerPidfd)
	if errors.Is(err, unix.ENOPROTOOPT) {
		peer, failed := unix.GetsockoptUcred(client, unix.SOL_SOCKET, unix.SO_PEERCRED)
		must(failed)
		process, err = unix.PidfdOpen(int(peer.Pid), 0)
	}
	if err != nil {
		return err
	}
	err = unix.PidfdSendSignal(process, 0, nil, 0)
	if _, failed := unix.PidfdGetfd(process, 0, 0); err != nil && failed != nil {
		return errors.Join(err, failed)
	}
	return nil
}

func connectNetlink(to unix.SockaddrNetlink) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT)
	if err == nil {
		to.Family = unix.AF_NETLINK
		err = unix.Connect(fd, &to)
	}
	return err
}

func sendBy(kind int, place string) func(string) error {
	return func(dir string) error {
		to := strings.ReplaceAll(place, "DIR", dir)
		if to == "@" {
			to = abstractIn(dir, "datagrams")
		}
		fd, err := unix.Socket(unix.AF_UNIX, kind, 0)
		if err == nil {
			err = unix.Sendto(fd, []byte("sent"), 0, &unix.SockaddrUnix{Name: to})
		}
		return err
	}
}

var errOther = errors.New("it came to the other end")

// read fails if there is something to be read: it went to the other end of a pair.
func read(fd int) error {
	if n, _, err := unix.Recvfrom(fd, make([]byte, 10), unix.MSG_DONTWAIT); err == nil && n > 0 {
		return errOther
	}
	return nil
}

// TestWays tries every way free, where it has to lead outside, and in a session, where it is refused: nobody outside sees so much as a visit.
func TestWays(t *testing.T) {
	testhome.Needs(t, "bwrap")
	for _, w := range ways {
		if w.root && os.Geteuid() != 0 {
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			o := startOutside(t)
			answered := o.awaitAsked(t, w.ask)
			out, err := session{}.run(t, w.name, self(t), o.dir)
			answered()
			if err != nil {
				t.Errorf("free it leads nowhere, so it shows nothing: %v\n%s", err, out)
			}
			o = startOutside(t)
			answered = o.awaitAsked(t, w.ask)
			out, err = session{confined: true}.run(t, w.name, self(t), o.dir)
			answered()
			refused := slices.ContainsFunc([]error{unix.ECONNREFUSED, unix.ENOTCONN, unix.ENOTSOCK, unix.EPERM, unix.EINVAL, errSilent, errOther}, func(e error) bool { return strings.Contains(out, e.Error()) })
			if seen := o.ask(t, ""); err == nil || !refused || len(seen) > 0 {
				t.Errorf("in a session it leads outside, or was not tried: %v %q\n%s", err, seen, out)
			}
		})
	}
}

// awaitAsked has the program outside listen once the way asks for that, until end is called.
func (o *outside) awaitAsked(t *testing.T, name string) (end func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	place := filepath.Join(o.dir, name)
	if strings.HasPrefix(name, "@") {
		place = abstractIn(o.dir, name[1:])
	}
	go func() {
		defer close(ended)
		for name != "" {
			select {
			case <-over:
				return
			case <-time.After(time.Millisecond):
			}
			if testhome.Exists(o.dir + "/asked") {
				o.ask(t, place)
				_ = os.Remove(o.dir + "/asked")
				return
			}
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}
