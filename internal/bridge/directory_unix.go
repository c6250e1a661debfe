//go:build unix

package bridge

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"swop/internal/account"
	"swop/internal/disk"
)

// DirVariable names the directory of a session's sockets.
const DirVariable = "SWOP_BRIDGE_DIR"

// Directory is the directory of a session, 0700. Its supervisor holds a lock in it for as long as it lives.
type Directory struct {
	Path string
	lock account.Lock
}

// maxSocketPath is the longest path of a Unix socket that all systems take, in bytes.
const maxSocketPath = 103

func (d Directory) socket(name string) string { return filepath.Join(d.Path, name+".sock") }

// runDir returns the directory of the sessions' directories, below swop's root.
func runDir(root string) string { return filepath.Join(root, "run") }

// MakeDirectory makes the directory of a session, whose name begins with a prefix, with its lock held, and removes those of sessions that
// were killed. Until the lock is held, the directory has a name that sweep passes over.
func MakeDirectory(root, prefix string) (d Directory, err error) {
	in := runDir(root)
	if err := disk.MakeDirs(in); err != nil {
		return d, err
	}
	sweep(in)
	if d.Path, err = os.MkdirTemp(in, making+prefix+"*"); err != nil {
		return d, err
	}
	if d.lock, err = lockDirectory(d.Path, unix.O_CREAT); err != nil {
		return d, err
	}
	made := filepath.Join(in, strings.TrimPrefix(filepath.Base(d.Path), making))
	err = os.Rename(d.Path, made)
	d.Path = made
	return d, err
}

const making = "."

func lockDirectory(dir string, flags int) (account.Lock, error) {
	return account.Flock(filepath.Join(dir, "lock"), unix.LOCK_EX|unix.LOCK_NB, unix.O_CLOEXEC|flags)
}

// Remove removes the directory.
func (d *Directory) Remove() error {
	defer d.lock.Release()
	return os.RemoveAll(d.Path)
}

// sweep removes the directories of sessions whose supervisor is gone: nobody holds the lock, or the removal had begun. The next sweep tries
// again what this one cannot remove.
func sweep(in string) {
	dirs, _ := filepath.Glob(filepath.Join(in, "[^"+making+"]*")) // a bad pattern finds nothing
	for _, dir := range dirs {
		l, err := lockDirectory(dir, 0)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			_ = os.RemoveAll(dir) // the next sweep tries again
		}
		l.Release()
	}
}
