package account

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/windows"

	"swop/internal/disk/sys"
)

// openLock opens a lock file. Of flags only O_CREAT counts: no child inherits a lock.
func openLock(file string, flags int) (int, error) {
	open := func(mode uint32) (windows.Handle, error) {
		return sys.OpenFile(file, windows.GENERIC_READ|windows.GENERIC_WRITE, mode, windows.FILE_FLAG_OPEN_REPARSE_POINT)
	}
	h, err := open(windows.OPEN_EXISTING)
	if flags&sys.O_CREAT != 0 && errors.Is(err, sys.ENOENT) {
		if h, err = open(windows.OPEN_ALWAYS); err == nil {
			never := windows.NsecToFiletime(0)
			err = windows.SetFileTime(h, nil, nil, &never)
		}
	}
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: file, Err: err}
	}
	return int(h), nil
}

// AcrossExec does nothing: this process waits for codex.
func (Lock) AcrossExec() {}

func closeLock(fd int) {
	sys.Funlock(fd)                             // Windows may give it back long after the handle was closed
	_ = windows.CloseHandle(windows.Handle(fd)) // nothing was written through it
}
