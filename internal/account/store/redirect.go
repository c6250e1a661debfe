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

// Programs write paths of a session's HOME where later ones look for them: codex those of transcripts into its database, npm its prefix,
// git the place of a clone. So the directory of an account that was removed or renamed stays, with one entry: home is a link to the user's
// HOME, or to the account's new home. It is no account. What is written through the link lies where that leads, and no account
// that is made in its place removes it.

// removedHome is the directory in swop's root that a removed account's link leads to where HOME does not hold the shared home: transcripts
// have to be found through it. Nothing removes it.
const removedHome = "removed"

// isLeft reports whether the directory of the key holds nothing but the link of an account that was there, or that is being removed.
func (s Store) isLeft(key string) bool {
	d, err := disk.Open(s.AccountDir(key), disk.NoFollow)
	if err != nil {
		return false
	}
	entries, err := d.Entries()
	_ = d.Close() // it was only listed
	return err == nil && (len(entries) == 0 || len(entries) == 1 && entries["home"]&fs.ModeSymlink != 0)
}

// leavesLink reports whether paths through the key may be known: a session of the account, or of an earlier one with this key, has run.
func (s Store) leavesLink(a account.Account, key string) bool {
	return !a.Meta.LastUsedAt.IsZero() || !s.LastUse(key).IsZero()
}

// building calls do with the path of a directory that it may make in trash/. Meanwhile nobody else builds there, or empties it.
func (s Store) building(do func(dir string) error) error {
	l, err := account.Flock(s.LockFile(buildLock), sys.LOCK_EX, sys.O_CLOEXEC|sys.O_CREAT)
	if err != nil {
		return err
	}
	defer l.Release()
	return do(filepath.Join(s.Path("trash"), buildPrefix+disk.RandomName()))
}

// removeLeft removes the link that an account with this key left, if nothing else is there.
func removeLeft(s Store, key string) error {
	if !s.isLeft(key) {
		return nil
	}
	dir := s.AccountDir(key)
	if err := disk.RemoveIfExists(filepath.Join(dir, "home")); err != nil {
		return err
	}
	err := disk.Ignore(os.Remove(dir), fs.ErrNotExist)
	return disk.Ignore(err, sys.ENOTEMPTY) // an account has taken its place
}

// homeOfRemoved returns the directory that stands for the HOME of a removed account.
func homeOfRemoved(s Store, sharedHome string) (string, error) {
	if sharedHome == "" || disk.SameFile(filepath.Join(s.Home, ".codex"), sharedHome) {
		return s.Home, nil
	}
	home := account.Account{Dir: s.Path(removedHome)}
	if err := s.MakeDir(home.Dir, home.Home(), home.CodexHome()); err != nil {
		return "", err
	}
	d, err := disk.OpenBelow(home.Dir, home.CodexHome())
	if err != nil {
		return "", err
	}
	for _, name := range []string{"sessions", "archived_sessions"} { // what codex records paths in
		err = errors.Join(err, d.Symlink(filepath.Join(sharedHome, name), name))
	}
	return home.Home(), errors.Join(err, d.Sync(), d.Close())
}

// makeLeft makes the directory dir of an account that is gone, with the link to home.
func makeLeft(s Store, dir, home string) error {
	if err := s.MakeDir(dir); err != nil {
		return err
	}
	d, err := disk.Open(dir, disk.NoFollow)
	if err != nil {
		return err
	}
	return errors.Join(d.Symlink(home, "home"), d.Sync(), d.Close())
}

// leadTo leaves a link to home in the place of the account with the key, unless another account has it by now.
func leadTo(s Store, key, home string) error {
	return s.building(func(dir string) error {
		err := makeLeft(s, dir, home)
		if err == nil {
			err = removeLeft(s, key)
		}
		if err == nil {
			err = os.Rename(dir, s.AccountDir(key))
		}
		if err != nil {
			return errors.Join(disk.Ignore(err, fs.ErrExist, sys.ENOTEMPTY), s.discard(dir))
		}
		return disk.SyncDir(s.AccountsDir())
	})
}
