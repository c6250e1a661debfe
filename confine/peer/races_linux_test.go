package peer

import (
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// raceDescriptor puts a Unix socket in the place of one that may connect.
func raceDescriptor(dir string) error {
	return race(func(fd int) {
		other, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
		must(err)
		must(unix.Dup3(other, fd, 0))
		must(unix.Close(other))
	}, func(fd int) error { return unix.Connect(fd, &unix.SockaddrUnix{Name: dir + "/plain"}) })
}

// race swaps what a descriptor is for a Unix socket and back, while another thread connects it.
func race(back func(fd int), connect func(fd int) error) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	must(err)
	var ended atomic.Bool
	go func() {
		for !ended.Load() {
			back(fd)
			local, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			must(err)
			must(unix.Dup3(local, fd, 0))
			must(unix.Close(local))
		}
	}()
	defer ended.Store(true)
	for end := time.Now().Add(longestRace); time.Now().Before(end); {
		if connect(fd) == nil {
			return nil
		}
	}
	return errSilent
}

// raceAddress connects to a socket of one's own, whose address another thread changes meanwhile.
func raceAddress(dir string) error {
	mine := serve(dir + "/mines")
	defer os.Remove(dir + "/mines")
	go acceptAll(mine)
	address := append([]byte{unix.AF_UNIX, 0}, dir+"/mines\x00"...)
	place := address[len(address)-len("mines\x00"):]
	var ended atomic.Bool
	go func() {
		for !ended.Load() {
			copy(place, "plain")
			copy(place, "mines")
		}
	}()
	defer ended.Store(true)
	for end := time.Now().Add(longestRace); time.Now().Before(end); {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		must(err)
		_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&address[0])), uintptr(len(address)))
		if errno == 0 && greeted(fd) == nil {
			return nil
		}
		must(unix.Close(fd))
	}
	return errSilent
}

// siblingWrites writes to a socket from another thread for as long as it is connected, with the names going back and forth.
func siblingWrites(dir string) error {
	mine := serve(dir + "/mine")
	go acceptAll(mine)
	must(os.Link(dir+"/mine", dir+"/kept"))
	must(os.Link(dir+"/plain", dir+"/other"))
	var ended atomic.Bool
	var fd atomic.Int64
	go func() {
		for !ended.Load() {
			_ = unix.Renameat2(unix.AT_FDCWD, dir+"/mine", unix.AT_FDCWD, dir+"/other", unix.RENAME_EXCHANGE)
		}
	}()
	go func() {
		for !ended.Load() {
			_, _ = unix.Write(int(fd.Load()), []byte("x"))
		}
	}()
	defer ended.Store(true)
	for end := time.Now().Add(longestRace); time.Now().Before(end); {
		s, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		must(err)
		fd.Store(int64(s))
		if unix.Connect(s, &unix.SockaddrUnix{Name: dir + "/mine"}) == nil && greeted(s) == nil {
			return nil
		}
		must(unix.Close(s))
	}
	return errSilent
}
