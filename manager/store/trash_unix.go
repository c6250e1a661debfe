//go:build unix

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"swop/manager/account"
	"swop/manager/disk"
	"swop/say"
)

// Delete removes the account's sandbox and its mark. The caller holds the account exclusively. sharedHome is where transcripts are: those
// that codex recorded in the account stay to be found; "" where there are none.
func (s Store) Delete(a account.Account, sharedHome string) error {
	gone, err := s.Trash(a, sharedHome)
	if err != nil {
		return err
	}
	return errors.Join(s.Unmark(a.Key), s.discard(gone))
}

// Trash moves the account's sandbox into trash/ under a name of its own and returns where it is. From then on there is no such account,
// and in the same moment its tombstone, if it leaves one, is in its place.
func (s Store) Trash(a account.Account, sharedHome string) (string, error) {
	a, err := s.remnant(a.Key) // its directory is where its key says
	if err != nil {
		return "", err
	}
	gone := filepath.Join(s.Path("trash"), a.Key+"-"+disk.RandomName())
	if leavesTombstone(a, sharedHome) {
		err = s.changePlaces(a, sharedHome, gone)
	} else {
		err = os.Rename(a.Dir, gone)
	}
	switch {
	case errors.Is(err, unix.EBUSY):
		return "", disk.Dir{Path: s.AccountsDir()}.Mounted(a.Key)
	case err != nil:
		return "", err
	}
	return gone, disk.SyncDir(s.AccountsDir())
}

// changePlaces puts a tombstone where the account is, and the account where gone says. Killed in between, the account lies under the
// tombstone's name in trash/, which is emptied in any case.
func (s Store) changePlaces(a account.Account, sharedHome, gone string) error {
	building, err := account.Flock(s.LockFile(buildLock), unix.LOCK_SH, unix.O_CLOEXEC|unix.O_CREAT)
	if err != nil {
		return err
	}
	defer building.Release()
	tombstone, err := s.buildTombstone(sharedHome)
	if err != nil {
		return err
	}
	err = disk.ExchangeDirs(tombstone, a.Dir)
	if err == nil {
		return os.Rename(tombstone, gone)
	}
	if !disk.NoSuchRename(err) {
		return errors.Join(err, s.discard(tombstone))
	}
	if err := os.Rename(a.Dir, gone); err != nil {
		return errors.Join(err, s.discard(tombstone))
	}
	return os.Rename(tombstone, a.Dir) // killed before it, there is no tombstone
}

// discard removes a directory in trash/. It stays on its mount and never follows a link; what cannot be removed is left there for a
// later run, and named in the error.
func (s Store) discard(dir string) error {
	trash, err := s.openTrash()
	if err != nil {
		return err
	}
	defer trash.Close()
	r := disk.Removal{Top: trash}
	return r.Remove(trash, filepath.Base(dir))
}

// openTrash opens trash/, which must be a directory of our own: what is in it is removed.
func (s Store) openTrash() (disk.Dir, error) {
	root, err := disk.Open(s.Root, disk.NoFollow)
	if err != nil {
		return disk.Dir{}, err
	}
	defer root.Close()
	there, err := root.Stat("trash")
	if err == nil && !there.Exists() {
		err = root.Err("open", "trash", fs.ErrNotExist)
	}
	if err != nil {
		return disk.Dir{}, err
	}
	trash, err := root.Enter("trash")
	if errors.Is(err, disk.ErrChanged) {
		err = say.WithHint(disk.Unsafe("%s: is not a directory", s.Path("trash")), fmt.Sprintf("mv %s %s", say.ShellQuote(s.Path("trash")), say.ShellQuote(s.Path("trash")+".old")))
	}
	return trash, err
}

// EmptyTrash finishes the removals that an earlier run left behind. Sandboxes that another run is building there are left alone.
func (s Store) EmptyTrash() error {
	trash, err := s.openTrash()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer trash.Close()
	entries, err := trash.Entries()
	left := []error{err}
	building, err := account.Flock(s.LockFile(buildLock), unix.LOCK_EX|unix.LOCK_NB, unix.O_CLOEXEC|unix.O_CREAT)
	defer building.Release()
	r := disk.Removal{Top: trash}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if err == nil || !strings.HasPrefix(name, buildPrefix) {
			left = append(left, r.Remove(trash, name))
		}
	}
	return errors.Join(left...)
}

// Leftovers returns what lies in trash/: removals that are under way or were cut off.
func (s Store) Leftovers() ([]string, error) {
	trash, err := s.openTrash()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer trash.Close()
	entries, err := trash.Entries()
	var names []string
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		names = append(names, filepath.Join(s.Path("trash"), name))
	}
	return names, err
}
