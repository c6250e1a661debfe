package sys

import (
	"os"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Wine 8 has no junctions. For tests under it a link of the Linux below takes their place, which Windows programs see as a directory.

// The system calls of Linux for x86-64.
const (
	linuxRename   = 82
	linuxUnlink   = 87
	linuxSymlink  = 88
	linuxReadlink = 89
)

// linux makes a system call of Linux: see linux_wine.s.
func linux(number, a, b, c uintptr) int

func call(number uintptr, a, b string, c uintptr) error {
	a, b = a+"\x00", b+"\x00"
	if n := linux(number, uintptr(unsafe.Pointer(unsafe.StringData(a))), uintptr(unsafe.Pointer(unsafe.StringData(b))), c); n < 0 {
		if -n == 17 {
			return EEXIST
		}
		return windows.ERROR_ACCESS_DENIED
	}
	return nil
}

var unixName = windows.NewLazySystemDLL("kernel32.dll").NewProc("wine_get_unix_file_name")

// unixPath returns the path that Linux has for a file.
func unixPath(path string) string {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return ""
	}
	r, _, _ := unixName.Call(uintptr(unsafe.Pointer(name)))
	if r == 0 {
		return ""
	}
	return windows.BytePtrToString((*byte)(unsafe.Pointer(r)))
}

// MakeJunction makes a link.
func MakeJunction(target, path string) error {
	return call(linuxSymlink, unixPath(target), unixPath(path), 0)
}

// JunctionTarget returns where a link leads, and whether there is one. Wine's own links, as those of drives, are none.
func JunctionTarget(path string) (string, bool) {
	name := unixPath(path) + "\x00"
	buf := make([]byte, syscall.MAX_LONG_PATH)
	n := linux(linuxReadlink, uintptr(unsafe.Pointer(unsafe.StringData(name))), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	if n <= 0 {
		return "", false
	}
	_, inDrive, ok := strings.Cut(string(buf[:n]), "/dosdevices/c:/")
	return `C:\` + strings.ReplaceAll(inDrive, "/", `\`), ok
}

// RemoveJunction removes a link.
func RemoveJunction(path string) error {
	if _, ok := JunctionTarget(path); !ok {
		return Errno(os.Remove(path))
	}
	return call(linuxUnlink, unixPath(path), "", 0)
}
