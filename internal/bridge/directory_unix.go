//go:build unix

package bridge

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

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

// MakeDirectory makes the directory of a session below swop's root, with its lock held, and removes those of sessions that were killed. Its
// name begins with the prefix.
func MakeDirectory(root, prefix string) (d Directory, err error) {
	in := filepath.Join(root, "run")
	if err := disk.MakeDirs(in); err != nil {
		return d, err
	}
	// no other process takes a directory that is not locked yet for one that was left; no account's lock: no key begins with a dot
	alone, err := account.Flock(filepath.Join(root, "locks", ".run"), unix.LOCK_EX, unix.O_CLOEXEC|unix.O_CREAT)
	if err != nil {
		return d, err
	}
	defer alone.Release()
	sweep(in)
	if d.Path, err = os.MkdirTemp(in, prefix+"*"); err == nil {
		d.lock, err = lockDirectory(d.Path, unix.O_CREAT)
	}
	return d, err
}

func lockDirectory(dir string, flags int) (account.Lock, error) {
	return account.Flock(filepath.Join(dir, "lock"), unix.LOCK_EX|unix.LOCK_NB, unix.O_CLOEXEC|flags)
}

// Alive reports whether dir is the directory of a session whose supervisor lives.
func Alive(dir string) bool {
	if !filepath.IsAbs(dir) {
		return false
	}
	l, err := lockDirectory(dir, 0)
	l.Release()
	return errors.Is(err, account.ErrInUse)
}

// Remove removes the directory.
func (d *Directory) Remove() error {
	defer d.lock.Release()
	return os.RemoveAll(d.Path)
}

// sweep removes the directories of sessions whose supervisor is gone: nobody holds the lock, or the removal had begun. The next sweep tries
// again what this one cannot remove.
func sweep(in string) {
	entries, _ := os.ReadDir(in) // without them nothing is removed
	for _, entry := range entries {
		dir := filepath.Join(in, entry.Name())
		l, err := lockDirectory(dir, 0)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			_ = os.RemoveAll(dir) // the next sweep tries again
		}
		l.Release()
	}
}
