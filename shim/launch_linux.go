package shim

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// realPath returns the path of the open file without links: one system call instead of one for each component.
func realPath(fd int, _ string) (string, error) {
	name := make([]byte, unix.PathMax)
	n, err := unix.Readlink("/proc/self/fd/"+strconv.Itoa(fd), name)
	return string(name[:max(n, 0)]), err
}
