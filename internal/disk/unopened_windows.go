package disk

import (
	"errors"
	"path/filepath"

	"golang.org/x/sys/windows"

	"swop/internal/disk/sys"
)

// Unopened reports whether no process has the file called name open, and whether that is known: it can be opened so that nobody else can.
func (d Dir) Unopened(name string) (unopened, known bool) {
	path, err := windows.UTF16PtrFromString(filepath.Join(d.Path, name))
	if err != nil {
		return false, false
	}
	h, err := windows.CreateFile(path, windows.GENERIC_READ, 0, nil, windows.OPEN_EXISTING, 0, 0)
	if err == nil {
		err = windows.CloseHandle(h)
	}
	return err == nil, err == nil || errors.Is(sys.Errno(err), sys.EBUSY)
}
