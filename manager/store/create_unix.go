//go:build unix

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/manager/account"
	"swop/manager/disk"
)

// New is an account to be made.
type New struct {
	Label      string
	State      account.State
	SharedHome string // the codex home in force, for a root that is made now
	Bootstrap  string // the codex home that it is taken over from, "" for none
	Unfinished bool   // the login is still to come
	Now        time.Time
}

// Sandboxes are built in trash/ under a name with buildPrefix, under a shared lock on buildLock, which is no account's key: what is
// there while nobody holds the lock was cut off.
const (
	buildPrefix = "new-"
	buildLock   = ".build"
)

// Create makes the account's sandbox. If its key is taken the error wraps [account.ErrExists], and the account returned is the existing
// one. The sandbox is built elsewhere and renamed into place: it is there complete or not at all.
func (s Store) Create(n New) (account.Account, error) {
	key, err := config.Key(n.Label)
	if err != nil {
		return account.Account{}, err
	}
	root, err := s.makeRoot(n.SharedHome)
	if err == nil {
		err = root.Check()
	}
	if err != nil {
		return account.Account{}, err
	}
	if a, err := s.Account(key); err == nil {
		return a, fmt.Errorf("account %q %w", a.Meta.Label, account.ErrExists)
	} else if !errors.Is(err, account.ErrNoAccount) {
		return a, err
	}
	if err := s.renamedAway(key); err != nil {
		return account.Account{}, err
	}
	if n.Unfinished {
		// So that the next run finds it if this one is cut off, by a power failure too.
		if err := s.MarkPending(key); err != nil {
			return account.Account{}, err
		}
		if err := disk.SyncDir(s.Path("pending")); err != nil {
			return account.Account{}, err
		}
	}
	a := account.Account{Key: key, Dir: s.AccountDir(key), Meta: account.Meta{
		Label: n.Label, Key: key, CreatedAt: n.Now, State: n.State, RealHome: s.Home, Bootstrap: n.Bootstrap,
		Unfinished: n.Unfinished,
	}}
	return s.place(a)
}

// Begin is Create of an account whose login is still to come, with the lock that a session holds. It is held before the account is
// there: a sweep would take an unfinished account that nobody holds for one that was cut off.
func (s Store) Begin(n New) (account.Account, account.Lock, error) {
	key, err := config.Key(n.Label)
	if err != nil {
		return account.Account{}, account.Lock{}, err
	}
	if _, err := s.makeRoot(n.SharedHome); err != nil {
		return account.Account{}, account.Lock{}, err
	}
	l, err := s.LockShared(key, false)
	if err != nil {
		return account.Account{}, account.Lock{}, err
	}
	n.Unfinished = true
	a, err := s.Create(n)
	if err != nil {
		l.Release()
	}
	return a, l, err
}

func (s Store) place(a account.Account) (account.Account, error) {
	building, err := account.Flock(s.LockFile(buildLock), unix.LOCK_SH, unix.O_CLOEXEC|unix.O_CREAT)
	if err != nil {
		return a, err
	}
	defer building.Release()
	built := account.Account{Key: a.Key, Meta: a.Meta, Dir: filepath.Join(s.Path("trash"), buildPrefix+disk.RandomName())}
	for _, dir := range []string{built.Dir, built.Home(), built.CodexHome()} {
		if err := s.MakeDir(dir); err != nil {
			return a, errors.Join(err, s.discard(built.Dir))
		}
	}
	if err := errors.Join(disk.SyncDir(built.Home()), s.WriteMeta(built)); err != nil {
		return a, errors.Join(err, s.discard(built.Dir))
	}
	if err := s.clearTombstone(a.Key); err != nil {
		return a, errors.Join(err, s.discard(built.Dir))
	}
	// rename(2) never replaces a sandbox, which is no empty directory: an equal run was first.
	err = os.Rename(built.Dir, a.Dir)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, unix.ENOTEMPTY) {
		if err := s.discard(built.Dir); err != nil {
			return a, err
		}
		if a, err = s.Account(a.Key); err != nil {
			return a, err
		}
		return a, fmt.Errorf("account %q %w", a.Meta.Label, account.ErrExists)
	}
	if err != nil {
		return a, errors.Join(err, s.discard(built.Dir))
	}
	return a, disk.SyncDir(s.AccountsDir())
}

// Finish records that the account's login is done.
func (s Store) Finish(a account.Account) error {
	a.Meta.Unfinished = false
	return s.WriteMeta(a)
}

// Resume takes over an account whose add was cut off, for a caller who is about to use it and does not hold its lock. An add that is
// still under way goes on.
func (s Store) Resume(a account.Account) error {
	l, err := s.LockExclusive(a.Key)
	if errors.Is(err, account.ErrInUse) {
		return nil
	}
	if err != nil {
		return err
	}
	defer l.Release()
	return s.Finish(a)
}
