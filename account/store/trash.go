package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"swop/account"
	"swop/config"
	"swop/disk"
	"swop/disk/sys"
	"swop/say"
)

// Delete removes the account's sandbox and its mark. The caller holds the account exclusively. sharedHome is where transcripts are: those
// that codex recorded in the account stay to be found; "" where there are none.
func (s Store) Delete(a account.Account, sharedHome string) error {
	gone, err := s.Trash(a, sharedHome)
	if err != nil {
		return err
	}
	return errors.Join(s.Unmark(a.Key), s.forget(a.Key, ""), s.discard(gone))
}

// Trash moves the account's sandbox into trash/ under a name of its own and returns where it is. From then on there is no such account,
// and in the same moment its tombstone, if it leaves one, is in its place.
func (s Store) Trash(a account.Account, sharedHome string) (string, error) {
	a, err := s.remnant(a.Key) // its directory is where its key says
	if err != nil {
		return "", err
	}
	gone := filepath.Join(s.Path("trash"), a.Key+"-"+disk.RandomName())
	switch err := s.moveAway(a, gone, sharedHome); {
	case errors.Is(err, sys.EBUSY):
		return "", disk.Dir{Path: s.AccountsDir()}.Mounted(a.Key)
	case err != nil:
		return "", err
	}
	return gone, disk.SyncDir(s.AccountsDir())
}

// moveAway moves the sandbox to another place. If a tombstone stays, it is in the old place in the same moment: it goes to the new place first,
// and the two are exchanged. If the file system cannot do that, the tombstone is missing if this is killed in between.
func (s Store) moveAway(a account.Account, to, sharedHome string) error {
	if !leavesTombstone(a, sharedHome) {
		return os.Rename(a.Dir, to)
	}
	building, err := account.Flock(s.LockFile(buildLock), sys.LOCK_SH, sys.O_CLOEXEC|sys.O_CREAT)
	if err != nil {
		return err
	}
	defer building.Release()
	tombstone, err := s.buildTombstone(sharedHome)
	if err != nil {
		return err
	}
	if err := os.Rename(tombstone, to); err != nil {
		return errors.Join(err, s.discard(tombstone))
	}
	err = disk.ExchangeDirs(to, a.Dir)
	if disk.NoSuchRename(err) {
		for _, step := range [][2]string{{to, tombstone}, {a.Dir, to}, {tombstone, a.Dir}} {
			if err := os.Rename(step[0], step[1]); err != nil {
				return err
			}
		}
		return nil
	}
	if err != nil {
		return errors.Join(err, os.Rename(to, tombstone), s.discard(tombstone))
	}
	return nil
}

// discard removes a directory in trash/. It stays on its mount and never follows a link; what cannot be removed is left there for a
// later run, and named in the error.
func (s Store) discard(dir string) error {
	trash, err := s.openTrash()
	if err != nil {
		return err
	}
	defer trash.Close()
	return disk.RemoveAll(trash, filepath.Base(dir))
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

// EmptyTrash finishes the removals that an earlier run left behind. While another run builds or moves something there, it does nothing.
func (s Store) EmptyTrash() error {
	building, err := account.Flock(s.LockFile(buildLock), sys.LOCK_EX|sys.LOCK_NB, sys.O_CLOEXEC|sys.O_CREAT)
	if err != nil {
		return nil //nolint:nilerr // a later run tries again; what needs to write in the root reports it
	}
	defer building.Release()
	return s.eachInTrash(disk.RemoveAll)
}

// Leftovers returns what lies in trash/: removals that are under way or were cut off.
func (s Store) Leftovers() (paths []string, err error) {
	err = s.eachInTrash(func(_ disk.Dir, name string) error {
		paths = append(paths, filepath.Join(s.Path("trash"), name))
		return nil
	})
	return paths, err
}

// eachInTrash calls do for each entry of trash/, sorted by name, and returns its errors joined.
func (s Store) eachInTrash(do func(trash disk.Dir, name string) error) error {
	trash, err := s.openTrash()
	if err != nil {
		return disk.Ignore(err, fs.ErrNotExist)
	}
	defer trash.Close()
	entries, err := trash.Entries()
	failed := []error{err}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		failed = append(failed, do(trash, name))
	}
	return errors.Join(failed...)
}

// Codex writes the path of a transcript into its state database as it knows it, through the sandbox, and since 0.155 does not find the
// transcript again when that path is gone. So where an account was removed or renamed, a tombstone stays: the two directories of
// transcripts as links to the shared ones, and nothing else. It is no account, and is removed when an account of its name is made.

// tombstoneFile is the file that tells a tombstone from an account.
const tombstoneFile = "tombstone"

// tombstoneLinks are the entries of the codex home that transcripts are recorded in.
var tombstoneLinks = []string{"sessions", "archived_sessions"}

func (s Store) isTombstone(key string) bool {
	_, err := os.Lstat(filepath.Join(s.AccountDir(key), tombstoneFile))
	return err == nil
}

// leavesTombstone reports whether the account's end leaves a tombstone: its transcripts are shared, and there may be some.
func leavesTombstone(a account.Account, sharedHome string) bool {
	return sharedHome != "" && a.Meta.State == account.StateShared && mayHaveEntries(filepath.Join(sharedHome, "sessions"))
}

// buildTombstone makes a tombstone in trash/ and returns where it is. The caller holds buildLock shared.
func (s Store) buildTombstone(sharedHome string) (string, error) {
	built := account.Account{Dir: filepath.Join(s.Path("trash"), buildPrefix+disk.RandomName())}
	if err := s.fillTombstone(built, sharedHome); err != nil {
		return "", errors.Join(err, s.discard(built.Dir))
	}
	return built.Dir, nil
}

func (s Store) fillTombstone(built account.Account, sharedHome string) error {
	if err := makeSandboxDirs(s.Layout, built); err != nil {
		return err
	}
	home, err := disk.OpenBelow(built.Dir, built.CodexHome())
	if err != nil {
		return err
	}
	for _, name := range tombstoneLinks {
		err = errors.Join(err, home.Symlink(filepath.Join(sharedHome, name), name))
	}
	if err := errors.Join(err, home.Sync(), home.Close(), disk.SyncDir(built.Home())); err != nil {
		return err
	}
	return disk.WriteFile(filepath.Join(built.Dir, tombstoneFile), nil)
}

// mayHaveEntries reports whether something is in dir, or may be: it cannot be read.
func mayHaveEntries(dir string) bool {
	entries, err := os.ReadDir(dir)
	return len(entries) > 0 || disk.Ignore(err, fs.ErrNotExist) != nil
}

// clearTombstone removes the tombstone, if there is one, from where an account is to be.
func (s Store) clearTombstone(key string) error {
	if !s.isTombstone(key) {
		return nil
	}
	gone := filepath.Join(s.Path("trash"), key+"-"+disk.RandomName())
	if err := os.Rename(s.AccountDir(key), gone); err != nil {
		return disk.Ignore(err, fs.ErrNotExist)
	}
	return s.discard(gone)
}

// ClearTombstones removes the tombstones of all accounts.
func (s Store) ClearTombstones() error {
	entries, err := os.ReadDir(s.AccountsDir())
	defects := []error{disk.Ignore(err, fs.ErrNotExist)}
	for _, entry := range entries {
		defects = append(defects, s.clearTombstone(entry.Name()))
	}
	return errors.Join(defects...)
}

// ClearTemps removes what runs wrote beside one of swop's files and did not rename, since they were killed, if nobody wrote to it since the
// time before. It holds no secret and is never read; it only takes room.
func (s Store) ClearTemps(before time.Time) error {
	dirs := []string{s.Root, s.Path("usage"), s.Config}
	if selector, err := filepath.EvalSymlinks(filepath.Join(s.Config, config.SelectorFile)); err == nil {
		dirs = append(dirs, filepath.Dir(selector))
	}
	keys, _ := s.Keys("") // the verb that needs one reports what cannot be read
	for _, key := range keys {
		dirs = append(dirs, s.AccountDir(key))
	}
	var failed []error
	for _, dir := range dirs {
		failed = append(failed, disk.ClearTemps(dir, before))
	}
	return errors.Join(failed...)
}
