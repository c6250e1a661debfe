package sys

import (
	"encoding/binary"
	"io/fs"
	"os"
	"strings"
	"unicode/utf16"

	"golang.org/x/sys/windows"
)

// A junction is a directory that leads to another one of this machine, by an absolute path. Anyone may make one: it needs no
// privilege, as a symbolic link does.

// MakeJunction makes a junction at path, where nothing may be, that leads to the directory target, an absolute path.
func MakeJunction(target, path string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return Errno(err)
	}
	h, err := OpenFile(path, windows.GENERIC_WRITE, windows.OPEN_EXISTING, windows.FILE_FLAG_OPEN_REPARSE_POINT)
	if err == nil {
		data, n := junctionTo(target), uint32(0)
		err = windows.DeviceIoControl(h, windows.FSCTL_SET_REPARSE_POINT, &data[0], uint32(len(data)), nil, 0, &n, nil)
		_ = windows.CloseHandle(h) // nothing is written late
	}
	if err != nil {
		_ = os.Remove(path) // it is empty, and was made a moment ago
	}
	return Errno(err)
}

// JunctionTarget returns where the junction at path leads, and whether there is one: a reparse point that, for package os, is neither a
// symbolic link nor, as what OneDrive keeps elsewhere may be, a directory. Of these it reads junctions only.
func JunctionTarget(path string) (string, bool) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != fs.ModeIrregular {
		return "", false
	}
	target, err := os.Readlink(path)
	return target, err == nil
}

// RemoveJunction removes the junction at path, and nothing of what it leads to.
func RemoveJunction(path string) error { return Errno(os.Remove(path)) }

// junctionTo returns the REPARSE_DATA_BUFFER of a mount point: tag, length of what follows, reserved; offset and length of the
// name that the kernel follows and of the one that is shown, in bytes; then both, each ended by a zero.
func junctionTo(target string) []byte {
	target = strings.TrimPrefix(target, `\\?\`)
	followed, shown := utf16.Encode([]rune(`\??\`+target)), utf16.Encode([]rune(target))
	b := binary.LittleEndian.AppendUint32(nil, windows.IO_REPARSE_TAG_MOUNT_POINT)
	for _, n := range []int{8 + 2*(len(followed)+len(shown)+2), 0, 0, 2 * len(followed), 2 * (len(followed) + 1), 2 * len(shown)} {
		b = binary.LittleEndian.AppendUint16(b, uint16(n))
	}
	for _, name := range [][]uint16{followed, {0}, shown, {0}} {
		for _, word := range name {
			b = binary.LittleEndian.AppendUint16(b, word)
		}
	}
	return b
}
