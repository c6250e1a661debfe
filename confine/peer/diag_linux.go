package peer

import (
	"encoding/binary"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The kernel's list of Unix sockets (sock_diag(7)) names the file of each by its device and the low half of its number.

type diagRequest struct {
	header           unix.NlMsghdr
	family, protocol uint8
	_                uint16
	states, number   uint32
	show             uint32
	cookie           [2]uint32
}

const (
	showFile = 2 // UDIAG_SHOW_VFS
	fileInfo = 1 // UNIX_DIAG_VFS
)

// listedFile asks for the file that a socket of this network namespace is bound to.
func listedFile(l listener) (name, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return name{}, os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	q := diagRequest{
		header: unix.NlMsghdr{Len: uint32(unsafe.Sizeof(diagRequest{})), Type: unix.SOCK_DIAG_BY_FAMILY, Flags: unix.NLM_F_REQUEST},
		family: unix.AF_UNIX, states: ^uint32(0), number: uint32(l.number), show: showFile,
		cookie: [2]uint32{uint32(l.cookie), uint32(l.cookie >> 32)},
	}
	text := unsafe.Slice((*byte)(unsafe.Pointer(&q)), unsafe.Sizeof(q))
	if err := unix.Sendto(fd, text, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return name{}, err
	}
	answer := make([]byte, 1<<12)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	if err != nil {
		return name{}, err
	}
	return fileIn(answer[:n])
}

// fileIn reads the file in an answer: a header, what is said of any socket, and the attribute that was asked for, which is the first.
func fileIn(answer []byte) (name, error) {
	const before = unix.SizeofNlMsghdr + 16 // struct unix_diag_msg
	order := binary.NativeEndian
	if len(answer) < before+12 || order.Uint16(answer[4:]) != unix.SOCK_DIAG_BY_FAMILY || order.Uint16(answer[before+2:]) != fileInfo {
		return name{}, unix.ENOENT
	}
	number, device := order.Uint32(answer[before+4:]), order.Uint32(answer[before+8:])
	const minor = 20 // bits of a device's number in the kernel
	return name{file: file{unix.Mkdev(device>>minor, device&(1<<minor-1)), uint64(number)}, listed: true}, nil
}

// listedName returns a file's name as the kernel's list has it. On btrfs a file says another device than its mount.
func (c *caller) listedName(fd int, f file) (name, error) {
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err != nil {
		return name{}, err
	}
	if fs.Type == unix.BTRFS_SUPER_MAGIC {
		device, err := c.mountDevice(fd)
		if err != nil {
			return name{}, errOutside
		}
		f.device = device
	}
	f.number &= 1<<32 - 1
	return name{file: f, listed: true}, nil
}
