package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/say"
)

// New is an account to be made.
type New struct {
	Label      string
	State      account.State
	Confine    string // the policy of confinement, "" for none; State is private then
	SharedHome string // the codex home in force, for a root that is made now
	Bootstrap  string // the codex home that it is taken over from, "" for none
	Unfinished bool   // the login is still to come
	Now        time.Time
}

// Sandboxes are built in trash/ under a name with buildPrefix, under an exclusive lock on buildLock, which is no account's key: entries
// there, while nobody holds the lock, are those of killed runs.
const (
	buildPrefix = "new-"
	buildLock   = ".build"
)

// Create makes the account's sandbox. If its key is taken the error wraps [account.ErrExists], and the account returned is the existing
// one. The sandbox is built elsewhere and renamed into place: it is there complete or not at all.
func (s Store) Create(n New) (a account.Account, err error) {
	key, err := config.NewKey(n.Label)
	if err != nil {
		return a, err
	}
	root, err := makeRoot(s, n.SharedHome)
	if err == nil {
		err = root.Check()
	}
	if err != nil {
		return a, err
	}
	err = s.building(func(dir string) error {
		if a, err = s.Account(key); err == nil {
			return fmt.Errorf("account %q %w", a.Meta.Label, account.ErrExists)
		} else if !errors.Is(err, account.ErrNoAccount) {
			return err
		}
		if n.Unfinished { // so that the next run finds it if this one is cut off, by a power failure too
			if err := errors.Join(s.MarkPending(key), disk.SyncDir(s.Path("pending"))); err != nil {
				return err
			}
		}
		a.Meta = account.Meta{
			Label: n.Label, Key: key, CreatedAt: account.Seconds(n.Now), State: n.State, Confine: n.Confine, RealHome: s.Home,
			Bootstrap: n.Bootstrap, Unfinished: n.Unfinished,
		}
		return s.place(dir, a)
	})
	return a, err
}

// Begin is [Store.Create] of an account whose login is still to come, and returns a session's lock on it. The lock is held before the
// account is there: a sweep removes unfinished accounts that nobody has locked.
func (s Store) Begin(n New) (a account.Account, l account.Lock, err error) {
	key, err := config.Key(n.Label)
	if err == nil {
		_, err = makeRoot(s, n.SharedHome)
	}
	if err == nil {
		l, err = s.LockShared(key)
	}
	if err != nil {
		return a, l, err
	}
	n.Unfinished = true
	if a, err = s.Create(n); err != nil {
		l.Release()
	}
	return a, l, err
}

// place builds the sandbox in dir, and renames it into place.
func (s Store) place(dir string, a account.Account) error {
	built := account.Account{Key: a.Key, Meta: a.Meta, Dir: dir}
	err := s.MakeDir(built.Dir, built.Home())
	if err == nil {
		err = s.MakeIgnored(built.CodexHome())
	}
	if err == nil {
		err = errors.Join(disk.SyncDir(built.Home()), s.WriteMeta(&built))
	}
	if err == nil {
		err = removeLeft(s, a.Key)
	}
	if err == nil {
		err = os.Rename(dir, a.Dir)
	}
	if err != nil {
		return errors.Join(err, s.discard(dir))
	}
	return disk.SyncDir(s.AccountsDir())
}

// Finish records that the account's login is done.
func (s Store) Finish(a account.Account) error {
	a.Meta.Unfinished = false
	return s.WriteMeta(&a)
}

// makeRoot makes the root, its directories, and root.json with the shared home, unless they are there. sharedHome is the path of the codex
// home in force; it is made if it is missing. All refusals come before anything is made.
func makeRoot(s Store, sharedHome string) (account.Root, error) {
	r, err := ReadRoot(s.Root)
	if err == nil {
		return r, s.MakeDirs()
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	err = errors.Join(checkFree(s), checkApart(s, sharedHome))
	if err == nil {
		err = disk.Ignore(disk.MakeDir(sharedHome), fs.ErrExist)
	}
	if err == nil {
		r.SharedHome, err = statHome(sharedHome)
	}
	if err == nil {
		err = s.MakeDirs()
	}
	if err != nil {
		return account.Root{}, err
	}
	r.Config = s.Config
	err = disk.Ignore(disk.CreateFile(s.Path(account.RootFile), r.Text()), fs.ErrExist)
	for _, dir := range []string{s.Root, sharedHome} { // an unsynced directory is lost with its files
		err = errors.Join(err, disk.SyncDir(filepath.Dir(dir)))
	}
	if err != nil {
		return account.Root{}, err
	}
	return ReadRoot(s.Root)
}

// ReadRoot reads the root.json of the root directory dir. The error wraps fs.ErrNotExist where the file is missing.
func ReadRoot(dir string) (r account.Root, err error) {
	file := filepath.Join(dir, account.RootFile)
	text, err := disk.ReadOwn(file, account.MaxJSON)
	if err != nil {
		return r, err
	}
	if err := r.Parse(text); err != nil {
		return account.Root{}, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// MakeDirs makes the root and its directories where they are missing.
func (s Store) MakeDirs() error {
	if err := disk.MakeDirs(filepath.Dir(s.Root)); err != nil {
		return err
	}
	if err := s.MakeIgnored(s.Root); err != nil {
		return err
	}
	return s.MakeDir(s.AccountsDir(), s.Path("locks"), s.Path("pending"), s.Path("trash"))
}

// checkFree refuses to make a root inside another one, and of a directory that has entries of swop's names, which swop would remove.
func checkFree(s Store) error {
	const hint = "set SWOP_ROOT to a directory of its own"
	for dir := filepath.Dir(disk.Resolve(s.Root)); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := ReadRoot(dir); err == nil {
			return say.WithHint(disk.Unsafe("%s: is inside swop's root %s", say.Name(s.Root), say.Name(dir)), hint)
		}
	}
	for _, name := range []string{"trash", "locks", "pending", "usage", "last", "log", "run"} {
		if disk.MayExist(s.Path(name)) && !disk.MayExist(s.AccountsDir()) { // which another run makes first
			err := disk.Unsafe("%s: is not swop's, and swop would remove it", say.Name(s.Path(name)))
			return say.WithHint(err, hint)
		}
	}
	return nil
}

// checkApart refuses a root and a shared home of which one contains the other: a projection would contain itself. Neither need exist.
func checkApart(s Store, sharedHome string) error {
	root, shared := disk.Resolve(s.Root), disk.Resolve(sharedHome)
	if config.Within(root, shared) || config.Within(shared, root) {
		err := disk.Unsafe("swop's root %s and the shared home %s contain one another", s.Root, sharedHome)
		return say.WithHint(err, "set SWOP_ROOT to a directory apart from CODEX_HOME")
	}
	return nil
}

// MoveSharedHome makes dir the codex home that all accounts share; the files themselves are the caller's to move. The caller holds
// every account exclusively, and reconciles them afterwards.
func (s Store) MoveSharedHome(root account.Root, dir string) (account.Root, error) {
	home, err := statHome(dir)
	if err == nil {
		err = errors.Join(s.CheckOwnerOf(dir), checkApart(s, dir))
	}
	if err != nil {
		return root, err
	}
	if root.SharedHome.Path != dir {
		root.Former = append(slices.Clone(root.Former), disk.WithoutSlash(root.SharedHome.Path))
	}
	root.SharedHome = home
	return root, disk.WriteFile(s.Path(account.RootFile), root.Text())
}

// statHome returns a shared home as root.json has it.
func statHome(dir string) (account.SharedHome, error) {
	var st sys.Stat_t
	if err := sys.Stat(dir, &st); err != nil {
		return account.SharedHome{}, &fs.PathError{Op: "stat", Path: dir, Err: err}
	}
	if st.Mode&sys.S_IFMT != sys.S_IFDIR {
		return account.SharedHome{}, fmt.Errorf("%s: is not a directory", dir)
	}
	return account.SharedHome{Path: dir, Device: uint64(st.Dev), Inode: st.Ino}, nil
}
