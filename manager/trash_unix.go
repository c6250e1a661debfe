//go:build unix

package manager

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/config"
)

// trash moves the account's sandbox into trash/ under a name of its own and returns where it is. From then on there is no such account.
func (s Store) trash(a Account) (string, error) {
	a, err := s.remnant(a.Key) // its directory is where its key says
	if err != nil {
		return "", err
	}
	gone := filepath.Join(s.sub("trash"), a.Key+"-"+randomName())
	if err := os.Rename(a.Dir, gone); err != nil {
		return "", err
	}
	return gone, config.SyncDir(s.accounts())
}

// discard removes a directory in trash/. It stays on the directory's device and never follows a link; what cannot be removed is
// left there for a later run, and named in the error.
func (s Store) discard(dir string) error {
	root, err := os.OpenRoot(s.sub("trash"))
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Lstat(filepath.Base(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return removeTree(root, filepath.Base(dir), device(info))
}

func removeTree(root *os.Root, name string, dev uint64) error {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return root.Remove(name)
	}
	if device(info) != dev {
		return unsafe("%s: is a mount point, left as it is", filepath.Join(root.Name(), name))
	}
	if info.Mode().Perm()&0o700 != 0o700 {
		if err := root.Chmod(name, 0o700); err != nil {
			return err
		}
	}
	names, err := namesIn(root, name)
	if err != nil {
		return err
	}
	var left []error
	for _, child := range names {
		left = append(left, removeTree(root, filepath.Join(name, child), dev))
	}
	if err := errors.Join(left...); err != nil {
		return err
	}
	return root.Remove(name)
}

func namesIn(root *os.Root, dir string) ([]string, error) {
	f, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// device returns the device number of the file system that a file lies on, 0 where it cannot be told.
func device(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Dev)
	}
	return 0
}

// EmptyTrash finishes the removals that an earlier run left behind. Sandboxes that another run is building there are left alone.
func (s Store) EmptyTrash() error {
	entries, err := os.ReadDir(s.sub("trash"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	left := []error{err}
	building, err := lock(s.LockFile(buildLock), unix.LOCK_EX|unix.LOCK_NB, unix.O_CLOEXEC|unix.O_CREAT)
	defer building.Release()
	for _, entry := range entries {
		if err == nil || !strings.HasPrefix(entry.Name(), buildPrefix) {
			left = append(left, s.discard(entry.Name()))
		}
	}
	return errors.Join(left...)
}

// Leftovers returns what lies in trash/: removals that are under way or were cut off.
func (s Store) Leftovers() ([]string, error) {
	entries, err := os.ReadDir(s.sub("trash"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, entry := range entries {
		names = append(names, filepath.Join(s.sub("trash"), entry.Name()))
	}
	return names, err
}
