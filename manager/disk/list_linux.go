package disk

import (
	"bytes"
	"encoding/binary"
	"io/fs"

	"golang.org/x/sys/unix"
)

// direntBuffer is how much of a long listing is read at once, in bytes: some 250 entries. It is a variable so that the buffer does not lie
// on the stack, which would have to grow.
var direntBuffer = 8 << 10

// rewind makes the next listing begin at the start.
func (d Dir) rewind() error {
	_, err := unix.Seek(d.Fd(), 0, 0)
	return d.Err("lseek", "", err)
}

// Each calls f for each entry that the directory holds, the first time: type and inode as the listing itself tells them (getdents(2)), with no call for
// each entry.
func (d Dir) Each(f func(name string, entry Entry) error) error {
	var few [1 << 10]byte // enough for what is listed most often, and it may lie on the stack
	buf := few[:]
	for {
		n, err := RetryEINTR(func() (int, error) { return unix.Getdents(d.Fd(), buf) })
		if err != nil {
			return d.Err("getdents", "", err)
		}
		if n == 0 {
			return nil
		}
		if err := d.eachIn(buf[:n], f); err != nil {
			return err
		}
		if n > len(few)/2 && len(buf) < direntBuffer {
			buf = make([]byte, direntBuffer)
		}
	}
}

// Where struct linux_dirent64 has its fields (getdents(2)): d_ino, d_off, d_reclen, d_type, d_name.
const (
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

func (d Dir) eachIn(buf []byte, f func(string, Entry) error) error {
	for len(buf) > direntName {
		size := int(binary.NativeEndian.Uint16(buf[direntLength:]))
		if size <= direntName || size > len(buf) {
			return d.Err("getdents", "", unix.EIO)
		}
		name, _, _ := bytes.Cut(buf[direntName:size], []byte{0})
		if s := string(name); s != "." && s != ".." {
			entry := Entry{typeOf(buf[direntType]), binary.NativeEndian.Uint64(buf)}
			if buf[direntType] == unix.DT_UNKNOWN { // some file systems do not tell
				i, err := d.Stat(s)
				if err != nil {
					return err
				}
				entry.Mode = i.FileMode()
			}
			if err := f(s, entry); err != nil {
				return err
			}
		}
		buf = buf[size:]
	}
	return nil
}

func typeOf(t byte) fs.FileMode {
	switch t {
	case unix.DT_REG:
		return 0
	case unix.DT_DIR:
		return fs.ModeDir
	case unix.DT_LNK:
		return fs.ModeSymlink
	}
	return fs.ModeIrregular
}
