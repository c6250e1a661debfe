package disk

import (
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"

	"swop/internal/disk/sys"
)

const Exe = ".exe"

func mayRun(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// CheckDescriptors returns nil: Windows has no low limit on open files.
func CheckDescriptors() error { return nil }

type FileStat = sys.Stat_t

func fstat(handle int, st *FileStat) error { return sys.Fstat(handle, st) }

// openToRead waits for a moment while another program keeps others out.
func openToRead(path string, flags int) (f *os.File, err error) {
	if flags&sys.O_NOFOLLOW != 0 && At(path).IsLink() {
		return nil, sys.ELOOP
	}
	err = briefly(func() error {
		h, err := sys.OpenFile(path, windows.GENERIC_READ, windows.OPEN_EXISTING, 0)
		if err == nil {
			f = os.NewFile(uintptr(h), path)
		}
		return err
	})
	return f, err
}

// Mounted refuses what is in use: there are no mount points.
func Mounted(path string) error {
	return Unsafe("%s: is in use by another program, left as it is", path)
}

// MakeDir makes dir for the user alone, from its first moment on. The error wraps fs.ErrExist if something is there already.
func MakeDir(dir string) error { return Dir{Path: dir}.Err("mkdir", "", sys.MakeDir(dir)) }

// Narrow lets the user alone use a file.
func (d Dir) Narrow(name string) error {
	return d.Err("protect", name, sys.Protect(filepath.Join(d.Path, name)))
}

// Clock returns the time by the clock that file systems stamp with.
func Clock() time.Time {
	var now windows.Filetime
	windows.GetSystemTimeAsFileTime(&now)
	return time.Unix(0, now.Nanoseconds())
}
