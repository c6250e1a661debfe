package peer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// caller is a thread that waits for its call to be made.
type caller struct {
	*notification
	server *server
	then   func() // is called when the call was answered, nil for nothing
}

// valid reports whether it still waits: until then no other process has its pid.
func (c *caller) valid() bool {
	return c.server.ioctl(unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&c.id)) == nil
}

// read returns a copy of what the caller has in memory.
func (c *caller) read(address, size uint64) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	text := make([]byte, size)
	local := []unix.Iovec{{Base: &text[0]}}
	local[0].SetLen(len(text))
	n, err := unix.ProcessVMReadv(int(c.pid), local, []unix.RemoteIovec{{Base: uintptr(address), Len: len(text)}}, 0)
	if err == nil && n < len(text) {
		err = unix.EFAULT
	}
	return text, err
}

// write writes to the caller's memory. The file that is opened stays that of the caller, whoever gets its pid.
func (c *caller) write(address uint64, text []byte) error {
	memory, err := os.OpenFile(c.proc("mem"), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer memory.Close()
	if !c.valid() {
		return unix.ESRCH
	}
	_, err = memory.WriteAt(text, int64(address))
	return err
}

// proc names a file of the caller's in /proc.
func (c *caller) proc(name string) string { return fmt.Sprintf("/proc/%d/%s", c.pid, name) }

// socket returns a descriptor of the caller's own socket, which is to be closed, and its family.
func (c *caller) socket() (fd, domain int, err error) {
	if fd, err = descriptorOf(int(c.pid), int(int32(c.args[0]))); err != nil {
		return -1, 0, err
	}
	if !c.valid() {
		err = unix.ESRCH // it was another process
	}
	if err == nil {
		domain, err = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	}
	if err != nil {
		_ = unix.Close(fd) // nothing was done with it
	}
	return fd, domain, err
}

// descriptorOf returns a copy of a descriptor of a thread's.
func descriptorOf(thread, fd int) (int, error) {
	process, err := processFD(thread)
	if err != nil {
		return -1, err
	}
	defer unix.Close(process)
	return unix.PidfdGetfd(process, fd, 0)
}

// processFD returns a descriptor of a thread, or of its process.
func processFD(thread int) (int, error) {
	fd, err := unix.PidfdOpen(thread, unix.PIDFD_THREAD) // from Linux 6.9 on
	if errors.Is(err, unix.EINVAL) {
		return unix.PidfdOpen(processOf(thread), 0)
	}
	return fd, err
}

// processOf returns the process of a thread, or the thread's own number.
func processOf(thread int) int {
	if pid, err := strconv.Atoi(statusOf(thread)["Tgid"]); err == nil {
		return pid
	}
	return thread
}

// statusOf returns what the kernel says of a thread (proc_pid_status(5)).
func statusOf(thread int) map[string]string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", thread)) // of one that is gone there is nothing
	fields := map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		fields[key] = strings.TrimSpace(value)
	}
	return fields
}

// interrupted reports whether a signal waits for which the caller has a handler: the kernel runs none while the call is made here.
func (c *caller) interrupted() bool {
	status := statusOf(int(c.pid))
	bits := func(name string) uint64 {
		n, _ := strconv.ParseUint(status[name], 16, 64) // one that is missing has none
		return n
	}
	return (bits("SigPnd")|bits("ShdPnd"))&bits("SigCgt")&^bits("SigBlk") != 0
}

// look opens what the caller finds at a path, without opening the file itself. What it opens needs no trust: only a socket that is known to be
// allowed is connected to. What /proc/self is to the caller, nobody else finds there, so that is taken from the caller's own directory.
func (c *caller) look(path string) (int, error) {
	c.server.lookups <- struct{}{}
	defer func() { <-c.server.lookups }()
	if number, ok := strings.CutPrefix(path, "/dev/fd/"); ok {
		path = "/proc/self/fd/" + number
	}
	for _, prefix := range []string{"/proc/self/", "/proc/thread-self/"} {
		if place, rest := cutPlace(strings.TrimPrefix(path, prefix)); place != "" && strings.HasPrefix(path, prefix) {
			return c.lookBelow(place, rest)
		}
	}
	if strings.HasPrefix(path, "/") {
		return c.lookIn(path)
	}
	return c.lookBelow("cwd", path)
}

// cutPlace splits a path in /proc/self behind the link that it begins with: cwd, root or fd/N; "" for anything else, which would be the host's.
func cutPlace(path string) (place, rest string) {
	place, rest, _ = strings.Cut(path, "/")
	switch place {
	case "cwd", "root":
		return place, rest
	case "fd":
		place, rest, _ = strings.Cut(rest, "/")
		if _, err := strconv.ParseUint(place, 10, 31); err == nil {
			return "fd/" + place, rest
		}
	}
	return "", ""
}

// lookIn opens an absolute path.
func (c *caller) lookIn(path string) (int, error) {
	root, err := unix.Open(c.proc("root"), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(root)
	return openPath(root, path, unix.RESOLVE_IN_ROOT|unix.RESOLVE_NO_MAGICLINKS)
}

// lookBelow opens a path below one of the caller's places. One that leads out of there is looked for by the place's name.
func (c *caller) lookBelow(place, path string) (int, error) {
	dir, err := unix.Open(c.proc(place), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil || path == "" {
		return dir, err
	}
	defer unix.Close(dir)
	fd, err := openPath(dir, path, unix.RESOLVE_BENEATH|unix.RESOLVE_NO_MAGICLINKS)
	if !errors.Is(err, unix.EXDEV) {
		return fd, err
	}
	name, err := os.Readlink(c.proc(place))
	if err != nil {
		return -1, err
	}
	return c.lookIn(name + "/" + path)
}

func openPath(dir int, path string, resolve uint64) (fd int, err error) {
	const most = 100 // a rename somewhere lets the kernel give up
	for range most {
		fd, err = unix.Openat2(dir, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: resolve})
		if !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR) {
			break
		}
	}
	return fd, err
}

// mountDevice returns the device of the mount that a file of the caller's lies in.
func (c *caller) mountDevice(fd int) (uint64, error) {
	var st unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &st); err != nil {
		return 0, err
	}
	table, err := os.ReadFile(c.proc("mountinfo"))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(table) {
		var id, parent uint64
		var major, minor uint32
		if _, err := fmt.Sscanf(string(line), "%d %d %d:%d", &id, &parent, &major, &minor); err == nil && id == st.Mnt_id {
			return unix.Mkdev(major, minor), nil
		}
	}
	return 0, io.ErrUnexpectedEOF
}
