package peer

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// works are what programs of a session do, each of which gives the same outside of one.
var works = []struct {
	name string
	do   func(dir string) error
	own  bool // also in a network of one's own
}{
	{"a path", ownSocket(unix.SOCK_STREAM, "DIR/own", "DIR/own"), true},
	{"a relative path", in("below", ownSocket(unix.SOCK_STREAM, "own", "../below/own")), true},
	{"by /proc/self/cwd", in("below", ownSocket(unix.SOCK_STREAM, "own", "/proc/self/cwd/../below/own")), true},
	{"records", ownSocket(unix.SOCK_SEQPACKET, "DIR/own", "DIR/own"), true},
	{"an abstract name", ownSocket(unix.SOCK_STREAM, "@peer-works-NUMBER", "@peer-works-NUMBER"), true},
	{"records by an abstract name", ownSocket(unix.SOCK_SEQPACKET, "@peer-works-NUMBER", "@peer-works-NUMBER"), true},
	{"moved and linked", func(dir string) error {
		fd := greet(unix.SOCK_STREAM, dir+"/own")
		defer unix.Close(fd)
		return errors.Join(os.Rename(dir+"/own", dir+"/now"), os.Link(dir+"/now", dir+"/too"), reach(unix.SOCK_STREAM, dir+"/now"), reach(unix.SOCK_STREAM, dir+"/too"))
	}, true},
	{"a daemon", daemon("DIR/own"), true},
	{"a daemon with an abstract name", daemon("@peer-works-NUMBER"), true},
	{"from another network namespace", func(dir string) error {
		fd := greet(unix.SOCK_STREAM, dir+"/own")
		defer unix.Close(fd)
		return inShell(`PEER=own exec "$0" "$1"`, "-rn")(dir)
	}, true},
	{"in another network namespace", inShell(`(PEER=serve "$0" "$1" & echo $! >"$1/pid"); until [ -e "$1/ready" ]; do sleep 0.01; done; PEER=own "$0" "$1"; s=$?; kill $(cat "$1/pid"); exit $s`, "-rn"), true},
	{"allowed", stream("DIR/allowed"), true},
	{"nobody", func(dir string) error {
		fd := bound(unix.SOCK_STREAM, dir+"/own")
		defer unix.Close(fd)
		return wants(map[string]error{
			dir + "/own": unix.ECONNREFUSED, dir + "/missing": unix.ENOENT, dir + "/own/x": unix.ENOTDIR, dir: unix.ECONNREFUSED, "@" + dir: unix.ECONNREFUSED,
		})
	}, true},
	{"errors", func(dir string) error {
		fd, _ := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		defer unix.Close(fd)
		to := func(fd int, address string) error { return connect(fd, []byte(address)) }
		return same(errors.Join(to(99, "\x01\x00/x"), to(1, "\x01\x00/x"), to(fd, "\x02\x00abcdefghijklmn"), to(fd, "\x01\x00"), to(fd, ""), to(fd, strings.Repeat("x", 200)), unix.Listen(fd, 1)),
			"bad file descriptor socket operation on non-socket"+strings.Repeat(" invalid argument", 5))
	}, true},
	{"a pair of datagrams", func(string) error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		must(err)
		flags, _ := unix.FcntlInt(uintptr(pair[1]), unix.F_GETFD, 0)
		_, err = unix.Write(pair[0], []byte("reached"))
		return errors.Join(err, greeted(pair[1]), same(flags, "1"))
	}, false},
	{"the number of an interface", func(string) error {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		must(err)
		request, err := unix.NewIfreq("lo")
		must(err)
		return errors.Join(unix.IoctlIfreq(fd, unix.SIOCGIFINDEX, request), same(request.Uint32(), "1"))
	}, true},
	{"the client's name and epoll", nameAndPoll, true},
	{"the peer's user", peersUser, true},
	{"TCP, and what refuses it", func(string) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must(err)
		conn, err := net.Dial("tcp", l.Addr().String())
		must(err)
		must(errors.Join(conn.Close(), l.Close()))
		_, err = net.Dial("tcp", l.Addr().String())
		return same(errors.Is(err, unix.ECONNREFUSED), "true")
	}, false},
	{"blocking TCP, IPv6, UDP and netlink", func(string) error {
		return errors.Join(blocking(unix.AF_INET, unix.SOCK_STREAM), blocking(unix.AF_INET, unix.SOCK_DGRAM), blocking(unix.AF_NETLINK, unix.SOCK_RAW))
	}, false},
	{"a time limit", limited, false},
	{"a queue that is full", fullQueue, true},
	{"a signal while it waits", interruptedCall, false},
	{"killed while it waits", killedCall, true},
	{"signals to the own group", func(string) error {
		must(unix.Setpgid(0, 0))
		got := make(chan os.Signal, 1)
		signal.Notify(got, unix.SIGUSR1)
		err := unix.Kill(0, unix.SIGUSR1)
		<-got
		return err
	}, false},
}

// ownSocket listens at a place and connects to it.
func ownSocket(kind int, at, to string) func(string) error {
	return func(dir string) error {
		places := strings.NewReplacer("DIR", dir, "NUMBER", strconv.Itoa(os.Getpid()))
		fd := greet(kind, places.Replace(at))
		defer unix.Close(fd)
		return reach(kind, places.Replace(to))
	}
}

// greet listens, and says what [reach] waits for.
func greet(kind int, place string) int {
	fd := bound(kind, place)
	must(unix.Listen(fd, 100))
	go func() {
		for {
			conn, _, err := unix.Accept4(fd, unix.SOCK_CLOEXEC)
			if err != nil {
				return
			}
			_, _ = unix.Write(conn, []byte("reached")) // it may be gone
			must(unix.Close(conn))
		}
	}()
	return fd
}

// daemon connects to a listener whose first process has gone.
func daemon(at string) func(string) error {
	return func(dir string) error {
		place := strings.NewReplacer("DIR", dir, "NUMBER", strconv.Itoa(os.Getpid())).Replace(at)
		first := exec.Command("/proc/self/exe", place)
		first.Env = environment("PEER=leave")
		if out, err := first.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return reach(unix.SOCK_STREAM, place)
	}
}

// leave listens, lets a child answer and ends.
func leave(place string) error {
	fd := bound(unix.SOCK_STREAM, place)
	must(unix.Listen(fd, 1))
	child := exec.Command("/proc/self/exe", "")
	child.Env = environment("PEER=stay")
	child.ExtraFiles = []*os.File{os.NewFile(uintptr(fd), "socket")}
	out, err := child.StdoutPipe()
	must(err)
	must(child.Start())
	_, err = out.Read(make([]byte, 1)) // it is ready
	return err
}

func stay(string) error {
	must(unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)) // as ssh-agent does
	fmt.Println("ready")
	conn, _, err := unix.Accept(3)
	must(err)
	_, err = unix.Write(conn, []byte("reached"))
	return err
}

func serveForever(dir string) error {
	greet(unix.SOCK_STREAM, dir+"/own")
	must(os.WriteFile(dir+"/ready", nil, 0o600))
	select {}
}

func wants(of map[string]error) (err error) {
	for place, want := range of {
		if got := reach(unix.SOCK_STREAM, place); !errors.Is(got, want) {
			err = errors.Join(err, fmt.Errorf("%q: %w, want %w", place, got, want))
		}
	}
	return err
}

func same(got any, want string) error {
	if text := strings.ReplaceAll(fmt.Sprint(got), "\n", " "); text != want {
		return fmt.Errorf("%q, want %q", text, want)
	}
	return nil
}

// peersUser: both ends learn the other's user, by which databases and agents let programs in.
func peersUser(dir string) error {
	server := bound(unix.SOCK_STREAM, dir+"/own")
	must(unix.Listen(server, 1))
	client, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	must(err)
	must(unix.Connect(client, &unix.SockaddrUnix{Name: dir + "/own"}))
	conn, _, err := unix.Accept(server)
	must(err)
	for _, fd := range []int{client, conn} {
		peer, failed := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		must(failed)
		err = errors.Join(err, same(peer.Uid, strconv.Itoa(os.Getuid())), same(peer.Gid, strconv.Itoa(os.Getgid())))
	}
	return err
}

func nameAndPoll(dir string) error {
	server := bound(unix.SOCK_STREAM, dir+"/own")
	must(unix.Listen(server, 1))
	client := bound(unix.SOCK_STREAM, dir+"/client")
	poll, err := unix.EpollCreate1(0)
	must(err)
	must(unix.EpollCtl(poll, unix.EPOLL_CTL_ADD, client, &unix.EpollEvent{Events: unix.EPOLLIN}))
	must(unix.Connect(client, &unix.SockaddrUnix{Name: dir + "/own"}))
	conn, from, err := unix.Accept(server)
	must(err)
	name, _ := from.(*unix.SockaddrUnix)
	_, err = unix.Write(conn, []byte("reached"))
	n, failed := unix.EpollWait(poll, make([]unix.EpollEvent, 1), 1000)
	return errors.Join(err, failed, same(n, "1"), same(name.Name, dir+"/client"), greeted(client))
}

// TestWorks does everything in a session, with the network outside and with one of its own, and free.
func TestWorks(t *testing.T) {
	testhome.Needs(t, "bwrap")
	for _, w := range works {
		t.Run(w.name, func(t *testing.T) {
			for _, s := range []session{{}, {confined: true}, {confined: true, network: true}} {
				if s.network && !w.own {
					continue
				}
				o := startOutside(t)
				s.allowed = []string{o.dir + "/allowed"}
				if out, err := s.run(t, "works: "+w.name, self(t), o.dir); err != nil {
					t.Errorf("confined %t, with a network of its own %t: %v\n%s", s.confined, s.network, err, out)
				}
			}
		})
	}
}

// TestLandlock: a sandbox inside has the Landlock that has no rules for connections, for those are made outside.
func TestLandlock(t *testing.T) {
	testhome.Needs(t, "bwrap")
	if landlockVersion() < 3 {
		t.Skip("left out: needs Landlock")
	}
	want := "3 <nil> argument list too long argument list too long invalid argument"
	if out, err := (session{confined: true}).run(t, "landlock", self(t), ""); err != nil || out != want+"\n" {
		t.Errorf("%q, %v, want %q", out, err, want)
	}
}

func tryLandlock(string) error {
	list := []any{landlockVersion()}
	for _, rules := range [][3]uint64{{1}, {1, 1}, {1, 0, 1}, {1 << 16}} {
		_, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules), 0)
		if errno == 0 {
			list = append(list, nil)
			continue
		}
		list = append(list, errno)
	}
	fmt.Println(list...)
	return nil
}
