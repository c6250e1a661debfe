package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/disk/sys"
)

// Delete removes the account's sandbox and its mark, and leaves a link in its place: see redirect.go. The caller holds the account
// exclusively. sharedHome is the codex home that accounts share.
func (s Store) Delete(a account.Account, sharedHome string) error {
	gone, err := s.trash(a, sharedHome)
	if err != nil {
		return err
	}
	return errors.Join(s.Unmark(a.Key), s.forget(a.Key, ""), s.discard(gone))
}

// trash moves the account's sandbox into trash/ under a name of its own, and returns its path there. In the same moment, the link that the
// account leaves takes its place.
func (s Store) trash(a account.Account, sharedHome string) (string, error) {
	a, err := s.remnant(a.Key) // with the directory of its key
	if err != nil {
		return "", err
	}
	var gone string
	err = s.building(func(dir string) error {
		gone = dir
		if !s.leavesLink(a, a.Key) {
			return os.Rename(a.Dir, gone)
		}
		home, err := homeOfRemoved(s, sharedHome)
		if err == nil {
			err = makeLeft(s, gone, home)
		}
		if err == nil {
			err = s.exchange(gone, a.Key)
		}
		if err != nil {
			return errors.Join(err, s.discard(gone))
		}
		return nil
	})
	switch {
	case errors.Is(err, sys.EBUSY):
		return "", disk.Mounted(s.AccountDir(a.Key))
	case err != nil:
		return "", err
	}
	return gone, disk.SyncDir(s.AccountsDir())
}

// exchange swaps a directory in trash/ with the account's.
func (s Store) exchange(dir, key string) error {
	trash, err := s.openTrash()
	accounts, err2 := disk.OpenBelow(s.Root, s.AccountsDir())
	defer func() { _, _ = trash.Close(), accounts.Close() }()
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	return accounts.Err("rename", key, trash.Exchange(filepath.Base(dir), accounts, key))
}

// discard removes a directory in trash/. It stays on its mount and never follows a link. Entries that it cannot remove stay for a later
// run, and the error names them.
func (s Store) discard(dir string) error {
	trash, err := s.openTrash()
	if err != nil {
		return err
	}
	defer trash.Close()
	return disk.RemoveAll(trash, filepath.Base(dir))
}

// openTrash opens trash/, which must be a directory of our own: what is in it is removed.
func (s Store) openTrash() (disk.Dir, error) { return disk.OpenBelow(s.Root, s.Path("trash")) }

// EmptyTrash finishes the removals that an earlier run left behind. While another run builds or moves something there, it does nothing.
func (s Store) EmptyTrash() error {
	building, err := account.Flock(s.LockFile(buildLock), sys.LOCK_EX|sys.LOCK_NB, sys.O_CLOEXEC|sys.O_CREAT)
	if err != nil {
		return nil //nolint:nilerr // a later run tries again; what needs to write in the root reports it
	}
	defer building.Release()
	trash, err := s.openTrash()
	if err != nil {
		return disk.Ignore(err, fs.ErrNotExist)
	}
	defer trash.Close()
	entries, err := trash.Entries()
	failed := []error{err}
	for name := range entries {
		failed = append(failed, disk.RemoveAll(trash, name))
	}
	return errors.Join(failed...)
}
