package account

import (
	"io/fs"

	"golang.org/x/sys/windows"

	"swop/internal/disk/sys"
)

// openLock opens a lock file. Of flags only O_CREAT counts: no child inherits a lock.
func openLock(file string, flags int) (int, error) {
	mode := uint32(windows.OPEN_EXISTING)
	if flags&sys.O_CREAT != 0 {
		mode = windows.OPEN_ALWAYS
	}
	h, err := sys.OpenFile(file, windows.GENERIC_READ|windows.GENERIC_WRITE, mode, windows.FILE_FLAG_OPEN_REPARSE_POINT)
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: file, Err: err}
	}
	return int(h), nil
}

func closeLock(fd int) {
	sys.Funlock(fd)                             // Windows may give it back long after the handle was closed
	_ = windows.CloseHandle(windows.Handle(fd)) // nothing was written through it
}
