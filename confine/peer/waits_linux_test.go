package peer

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func blocking(family, kind int) error {
	fd, err := unix.Socket(family, kind, 0)
	must(err)
	defer unix.Close(fd)
	var to unix.Sockaddr = &unix.SockaddrInet4{Port: 9, Addr: [4]byte{127, 0, 0, 1}}
	switch {
	case family == unix.AF_NETLINK:
		to = &unix.SockaddrNetlink{Family: unix.AF_NETLINK}
	case kind == unix.SOCK_STREAM:
		l, err := unix.Socket(family, kind, 0)
		must(err)
		defer unix.Close(l)
		must(unix.Listen(l, 1))
		to, err = unix.Getsockname(l)
		must(err)
	}
	if err := unix.Connect(fd, to); err != nil || kind != unix.SOCK_STREAM {
		return err
	}
	return same(unix.Connect(fd, to), unix.EISCONN.Error())
}

// full returns a place whose queue is full.
func full(family int, place string) unix.Sockaddr {
	l, err := unix.Socket(family, unix.SOCK_STREAM, 0)
	must(err)
	if family == unix.AF_UNIX {
		must(unix.Bind(l, &unix.SockaddrUnix{Name: place}))
	}
	must(unix.Listen(l, 0))
	to, err := unix.Getsockname(l)
	must(err)
	if in, ok := to.(*unix.SockaddrInet4); ok {
		in.Addr = [4]byte{127, 0, 0, 1}
	}
	for range 8 {
		fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
		must(err)
		_ = unix.Connect(fd, to) // until the queue is full
	}
	return to
}

// limited: a blocking connection ends when its socket's time is up.
func limited(dir string) error {
	var got []error
	for _, family := range []int{unix.AF_INET, unix.AF_UNIX} {
		to := full(family, dir+"/full")
		fd, err := unix.Socket(family, unix.SOCK_STREAM, 0)
		must(err)
		must(unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &unix.Timeval{Usec: 200_000}))
		began := time.Now()
		got = append(got, unix.Connect(fd, to))
		if took := time.Since(began); took < 150*time.Millisecond || took > 2*time.Second {
			return fmt.Errorf("it took %v", took)
		}
	}
	return same(errors.Join(got...), unix.EINPROGRESS.Error()+" "+unix.EAGAIN.Error())
}

// fullQueue: many connect at once to one that takes its time.
func fullQueue(dir string) error {
	server := bound(unix.SOCK_STREAM, dir+"/own")
	must(unix.Listen(server, 1))
	results := make(chan error)
	const many = 100
	for range many {
		go func() { results <- reach(unix.SOCK_STREAM, dir+"/own") }()
	}
	go func() {
		for range many {
			conn, _, err := unix.Accept(server)
			must(err)
			time.Sleep(time.Millisecond)
			_, err = unix.Write(conn, []byte("reached"))
			must(errors.Join(err, unix.Close(conn)))
		}
	}()
	var err error
	for range many {
		err = errors.Join(err, <-results)
	}
	return err
}

// interruptedCall: a blocking connection ends when a signal comes whose handler lets no call begin again.
func interruptedCall(dir string) error {
	runtime.LockOSThread()
	signal.Notify(make(chan os.Signal, 1), unix.SIGUSR2)
	var action struct{ handler, flags, restorer, mask uint64 }
	const restart = 0x10000000 // SA_RESTART
	unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGUSR2), 0, uintptr(unsafe.Pointer(&action)), 8, 0, 0)
	action.flags &^= restart
	unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGUSR2), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
	to := full(unix.AF_INET, "")
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	must(err)
	thread := unix.Gettid()
	time.AfterFunc(100*time.Millisecond, func() { must(unix.Tgkill(unix.Getpid(), thread, unix.SIGUSR2)) })
	return same(unix.Connect(fd, to), unix.EINTR.Error())
}

// killedCall: one that waits can be killed.
func killedCall(dir string) error {
	child := exec.Command("/proc/self/exe", dir)
	child.Env = environment("PEER=hang")
	out, err := child.StdoutPipe()
	must(err)
	must(child.Start())
	_, err = out.Read(make([]byte, 1))
	must(errors.Join(err, child.Process.Kill()))
	return same(child.Wait(), "signal: killed")
}

func hang(dir string) error {
	to := full(unix.AF_UNIX, dir+"/full")
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	must(err)
	time.AfterFunc(50*time.Millisecond, func() { fmt.Println("it hangs") })
	return unix.Connect(fd, to)
}
