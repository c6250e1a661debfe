package login

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/disk/sys"
)

// keptName is where an account's login lies in its sandbox while codex makes another one: since 0.169 codex revokes and deletes one that it
// finds before the new one is there.
const keptName = "auth.json.kept"

// Keep moves the account's login to where codex does not find it, and returns a file whose lock says that this goes on: [Settle] ends it
// once the file is closed, or its process has ended. Without a login it returns nil.
func Keep(a account.Account) (*os.File, error) {
	home, box, err := openBoth(a)
	if err != nil {
		return nil, err
	}
	defer func() { _ = errors.Join(home.Close(), box.Close()) }() // they were only looked up in
	const tries = 10                                              // another run may settle what it finds before it is locked
	for range tries {
		switch err := home.Move(filepath.Base(a.AuthFile()), box, keptName); {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil && !errors.Is(err, fs.ErrExist):
			return nil, home.Err("rename", keptName, err)
		case err != nil: // the one that is kept is older than the one that codex found
			if _, err := Settle(a); err != nil {
				return nil, err
			}
			continue
		}
		if err := errors.Join(box.Sync(), home.Sync()); err != nil {
			return nil, err
		}
		if f, err := lockKept(a); f != nil || err != nil {
			return f, err
		}
	}
	return nil, fmt.Errorf("%w: another codex login runs in account %q", account.ErrInUse, a.Meta.Label)
}

// Settle ends what [Keep] began, unless that still goes on: the login is put back, or removed if there is another one by now. It reports
// whether it was put back.
func Settle(a account.Account) (back bool, err error) {
	f, err := lockKept(a)
	if f == nil || err != nil {
		return false, err
	}
	defer f.Close()
	home, box, err := openBoth(a)
	if err != nil {
		return false, err
	}
	defer func() { _ = errors.Join(home.Close(), box.Close()) }() // they were only looked up in
	auth := filepath.Base(a.AuthFile())
	if HoldsLogin(a) {
		return false, errors.Join(box.Unlink(keptName), box.Sync())
	}
	err = box.Move(keptName, home, auth)
	if errors.Is(err, fs.ErrExist) { // an empty one, which a codex that was killed left
		err = box.Replace(keptName, home, auth)
	}
	return err == nil, errors.Join(err, home.Sync(), box.Sync())
}

// lockKept returns the kept login, locked, or nil if there is none, or another process has the lock.
func lockKept(a account.Account) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(a.Dir, keptName), os.O_RDONLY|sys.O_NOFOLLOW|sys.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	_, err = disk.RetryEINTR(func() (struct{}, error) { return struct{}{}, sys.Flock(int(f.Fd()), sys.LOCK_EX|sys.LOCK_NB) })
	if err == nil || !errors.Is(err, sys.EWOULDBLOCK) { // a file system without locks: nobody else can be told from here
		return f, nil
	}
	return nil, f.Close()
}

// openBoth opens the account's codex home, and its sandbox.
func openBoth(a account.Account) (home, box disk.Dir, err error) {
	if box, err = disk.Open(a.Dir, disk.NoFollow); err != nil {
		return home, box, err
	}
	if home, err = disk.OpenBelow(a.Dir, a.CodexHome()); err != nil {
		return home, box, errors.Join(err, box.Close())
	}
	return home, box, nil
}
