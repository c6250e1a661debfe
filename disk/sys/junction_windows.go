//go:build !wine

package sys

import (
	"encoding/binary"
	"os"
	"strings"
	"unicode/utf16"

	"golang.org/x/sys/windows"
)

// A junction is a directory that leads to another one of this machine, by an absolute path. Anyone may make one: it needs no privilege, as a
// symbolic link does.

// MakeJunction makes a junction at path, where nothing may be, that leads to the directory target, an absolute path.
func MakeJunction(target, path string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return Errno(err)
	}
	err := setTarget(target, path)
	if err != nil {
		_ = os.Remove(path) // it is empty, and was made a moment ago
	}
	return err
}

func setTarget(target, path string) error {
	h, err := openReparsePoint(path, windows.GENERIC_WRITE)
	if err != nil {
		return Errno(err)
	}
	defer windows.CloseHandle(h)
	data := encodeJunction(target)
	var n uint32
	return Errno(windows.DeviceIoControl(h, windows.FSCTL_SET_REPARSE_POINT, &data[0], uint32(len(data)), nil, 0, &n, nil))
}

func openReparsePoint(path string, access uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	return windows.CreateFile(name, access, share, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_OPEN_REPARSE_POINT|windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
}

// JunctionTarget returns where the junction at path leads, and whether there is one.
func JunctionTarget(path string) (string, bool) {
	h, err := openReparsePoint(path, windows.FILE_READ_ATTRIBUTES)
	if err != nil {
		return "", false
	}
	defer windows.CloseHandle(h)
	data := make([]byte, windows.MAXIMUM_REPARSE_DATA_BUFFER_SIZE)
	var n uint32
	if windows.DeviceIoControl(h, windows.FSCTL_GET_REPARSE_POINT, nil, 0, &data[0], uint32(len(data)), &n, nil) != nil {
		return "", false
	}
	return decodeJunction(data[:n])
}

// RemoveJunction removes the junction at path, and nothing of what it leads to.
func RemoveJunction(path string) error { return Errno(os.Remove(path)) }

// ntPrefix begins a path as the kernel has it.
const ntPrefix = `\??\`

// encodeJunction returns the REPARSE_DATA_BUFFER of a mount point: tag, length of what follows, reserved; offset and length of the substitute
// name and of the one that is shown, in bytes; then both, each ended by a zero.
func encodeJunction(target string) []byte {
	shown := utf16.Encode([]rune(target))
	real := utf16.Encode([]rune(ntPath(target)))
	words := append(append(append([]uint16{}, real...), 0), append(shown, 0)...)
	b := binary.LittleEndian.AppendUint32(nil, windows.IO_REPARSE_TAG_MOUNT_POINT)
	b = binary.LittleEndian.AppendUint16(b, uint16(8+2*len(words)))
	for _, n := range []int{0, 0, 2 * len(real), 2 * (len(real) + 1), 2 * len(shown)} {
		b = binary.LittleEndian.AppendUint16(b, uint16(n))
	}
	for _, w := range words {
		b = binary.LittleEndian.AppendUint16(b, w)
	}
	return b
}

func ntPath(path string) string { return ntPrefix + strings.TrimPrefix(path, `\\?\`) }

// decodeJunction returns the target of a mount point. It reports false for any other reparse point, and for one that is not as it should be.
func decodeJunction(b []byte) (string, bool) {
	if len(b) < 16 || binary.LittleEndian.Uint32(b) != windows.IO_REPARSE_TAG_MOUNT_POINT {
		return "", false
	}
	at, n := int(binary.LittleEndian.Uint16(b[8:])), int(binary.LittleEndian.Uint16(b[10:]))
	names := b[16:]
	if at+n > len(names) || n%2 != 0 {
		return "", false
	}
	words := make([]uint16, n/2)
	for i := range words {
		words[i] = binary.LittleEndian.Uint16(names[at+2*i:])
	}
	return strings.TrimPrefix(string(utf16.Decode(words)), ntPrefix), true
}
