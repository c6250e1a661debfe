//go:build unix

package account

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"swop/disk"
)

// MarkPending notes that the account is about to run: whoever starts next reconciles it, so that what codex makes in it does not
// wait for the account that made it. The mark is not synced: if it is lost, that waits after all.
func (s Layout) MarkPending(key string) error {
	file := filepath.Join(s.Path("pending"), key)
	fd, err := unix.Open(file, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600)
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	if err != nil {
		return &fs.PathError{Op: "open", Path: file, Err: err}
	}
	err = errors.Join(unix.Fchmod(fd, 0o600), unix.Close(fd)) // whatever the umask
	if err != nil {
		return &fs.PathError{Op: "chmod", Path: file, Err: err}
	}
	return nil
}

// Pending returns the keys of the accounts that are marked.
func (s Layout) Pending() (keys []string, err error) {
	d, err := disk.Open(s.Path("pending"), disk.NoFollow)
	if err != nil {
		return nil, err
	}
	err = d.Each(func(name string, _ disk.Entry) error {
		if !strings.HasPrefix(name, ".") {
			keys = append(keys, name)
		}
		return nil
	})
	slices.Sort(keys)
	return keys, errors.Join(err, d.Close())
}

// Unmark removes the mark of the account with this key; a missing one is no error.
func (s Layout) Unmark(key string) error {
	err := os.Remove(filepath.Join(s.Path("pending"), key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
