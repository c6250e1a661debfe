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
// HOME, or to the account's new home. It is no account. What is written through the link lies where that leads, and no account that is made
// in its place removes it.

// handedOut is a file in the sandbox of an account whose key another one had before: paths through it are known, whatever becomes of this
// one.
const handedOut = "earlier"

// RemovedHome is the directory in swop's root that a removed account's link leads to where HOME does not hold the shared home: transcripts
// have to be found through it. Nothing removes it.
const RemovedHome = "removed"

// swapLock is held while directories of accounts are exchanged: what one was a moment ago decides. It is no account's key.
const swapLock = ".swap"

// IsLeft reports whether the directory of the key holds nothing but the link of an account that was there.
func (s Store) IsLeft(key string) bool {
	d, err := disk.Open(s.AccountDir(key), disk.NoFollow)
	if err != nil {
		return false
	}
	entries, err := d.Entries()
	_ = d.Close() // it was only listed
	return err == nil && len(entries) == 1 && entries["home"]&fs.ModeSymlink != 0
}

// Replaces reports whether another account had this one's key before, so that paths through it are known.
func Replaces(a account.Account) bool { return disk.At(filepath.Join(a.Dir, handedOut)).Exists() }

// leavesLink reports whether a path through the account may be known: not of one that was never used.
func leavesLink(a account.Account) bool {
	return a.Meta.LastUsedAt != 0 || Replaces(a)
}

// moveAway moves the sandbox to another place, and in the same moment a link to what stands for a removed account's HOME is in the old one.
// If there is a link in the new place already, that one is.
func moveAway(s Store, a account.Account, to, sharedHome string) error {
	return s.swapping(func(spare string) error {
		if filepath.Dir(to) == s.AccountsDir() && s.IsLeft(filepath.Base(to)) {
			return swapDirs(to, a.Dir, spare)
		}
		if !leavesLink(a) {
			return os.Rename(a.Dir, to)
		}
		home, err := homeOfRemoved(s, sharedHome)
		if err == nil {
			err = makeLeft(s, spare, home)
		}
		if err == nil {
			err = os.Rename(spare, to)
		}
		if err != nil {
			return errors.Join(err, s.discard(spare))
		}
		if err := swapDirs(to, a.Dir, spare); err != nil {
			return errors.Join(err, os.Rename(to, spare), s.discard(spare))
		}
		return nil
	})
}

// swapping calls do with the path of a directory that it may make in trash/, while nobody else swaps directories of accounts or empties
// trash/.
func (s Store) swapping(do func(spare string) error) error {
	building, err := account.Flock(s.LockFile(buildLock), sys.LOCK_SH, sys.O_CLOEXEC|sys.O_CREAT)
	if err != nil {
		return err
	}
	defer building.Release()
	alone, err := account.Flock(s.LockFile(swapLock), sys.LOCK_EX, sys.O_CLOEXEC|sys.O_CREAT)
	if err != nil {
		return err
	}
	defer alone.Release()
	return do(filepath.Join(s.Path("trash"), buildPrefix+disk.RandomName()))
}

// swapDirs exchanges two directories: at once, or by way of spare, where the file system cannot.
func swapDirs(a, b, spare string) error {
	err := disk.ExchangeDirs(a, b)
	if !disk.NoSuchRename(err) {
		return err
	}
	if err := os.Rename(a, spare); err != nil {
		return err
	}
	if err := os.Rename(b, a); err != nil {
		return errors.Join(err, os.Rename(spare, a))
	}
	return os.Rename(spare, b)
}

// replaceLeft puts the account that was built in the place of the link that one of its key left, and reports whether there was one;
// built.Dir has it then.
func (s Store) replaceLeft(built account.Account, dir string) (replaced bool, err error) {
	if !s.IsLeft(built.Key) {
		return false, nil
	}
	if err := disk.WriteFile(filepath.Join(built.Dir, handedOut), nil); err != nil {
		return false, err
	}
	err = s.swapping(func(spare string) error {
		if replaced = s.IsLeft(built.Key); !replaced { // an equal run was first
			return nil
		}
		return swapDirs(dir, built.Dir, spare)
	})
	return replaced, err
}

// homeOfRemoved returns the directory that stands for the HOME of a removed account.
func homeOfRemoved(s Store, sharedHome string) (string, error) {
	if sharedHome == "" || disk.SameFile(filepath.Join(s.Home, ".codex"), sharedHome) {
		return s.Home, nil
	}
	home := account.Account{Dir: s.Path(RemovedHome)}
	for _, dir := range []string{home.Dir, home.Home(), home.CodexHome()} {
		if err := s.MakeDir(dir); err != nil {
			return "", err
		}
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

// leadTo lets the link that the account with the key left lead to another home. Another account may have the key by now.
func leadTo(s Store, key, home string) error {
	return s.swapping(func(spare string) error {
		if !s.IsLeft(key) {
			return nil
		}
		if err := makeLeft(s, spare, home); err != nil {
			return errors.Join(err, s.discard(spare))
		}
		return errors.Join(swapDirs(spare, s.AccountDir(key), spare+"-"), disk.SyncDir(s.AccountsDir()), s.discard(spare))
	})
}
