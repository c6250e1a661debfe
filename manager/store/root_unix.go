//go:build unix

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/manager/account"
	"swop/manager/disk"
	"swop/say"
)

// makeRoot makes the root and its directories, and root.json with the shared home, unless they are there. sharedHome is the path
// of the codex home in force; it is made if it is missing. What is refused is refused before anything is made.
func (s Store) makeRoot(sharedHome string) (account.Root, error) {
	r, err := ReadRoot(s.Root)
	fresh := errors.Is(err, fs.ErrNotExist)
	if err != nil && !fresh {
		return r, err
	}
	if fresh {
		if err := s.checkHomes(sharedHome); err != nil {
			return r, err
		}
	}
	if err := s.MakeDirs(); err != nil {
		return r, err
	}
	if fresh {
		return s.recordRoot(sharedHome)
	}
	return r, nil
}

// MakeDirs makes the root and its directories, those that are missing.
func (s Store) MakeDirs() error {
	if err := disk.MakeDirs(filepath.Dir(s.Root)); err != nil {
		return err
	}
	for _, dir := range []string{s.Root, s.AccountsDir(), s.Path("locks"), s.Path("pending"), s.Path("displaced"), s.Path("trash")} {
		if err := s.MakeDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// checkHomes refuses homes that a root cannot be made for.
func (s Store) checkHomes(sharedHome string) error {
	info, err := os.Stat(s.Home)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", s.Home)
	}
	if err != nil {
		return say.WithHint(fmt.Errorf("the home directory cannot be used: %w", err), `export HOME="/path/to/your/home"`)
	}
	info, err = os.Stat(sharedHome)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if info, err = os.Stat(filepath.Dir(sharedHome)); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("the codex home %s is not a directory", sharedHome)
	}
	return s.checkApart(sharedHome)
}

func (s Store) recordRoot(sharedHome string) (account.Root, error) {
	if err := disk.Ignore(disk.MakeDir(sharedHome), fs.ErrExist); err != nil {
		return account.Root{}, err
	}
	var st unix.Stat_t
	if err := unix.Stat(sharedHome, &st); err != nil {
		return account.Root{}, &fs.PathError{Op: "stat", Path: sharedHome, Err: err}
	}
	r := account.Root{SharedHome: account.SharedHome{Path: sharedHome, Device: uint64(st.Dev), Inode: st.Ino}, Config: s.Config}
	if err := r.Check(); err != nil {
		return account.Root{}, err
	}
	if err := disk.CreateFile(s.Path(account.RootFile), r.Text()); err != nil && !errors.Is(err, fs.ErrExist) {
		return account.Root{}, err
	}
	for _, dir := range []string{s.Root, sharedHome} { // what is in a directory is lost with it
		if err := disk.SyncDir(filepath.Dir(dir)); err != nil {
			return account.Root{}, err
		}
	}
	return ReadRoot(s.Root)
}

// checkApart refuses a root and a shared home of which one contains the other: a projection would contain itself. Neither need exist.
func (s Store) checkApart(sharedHome string) error {
	root, shared := disk.Resolve(s.Root), disk.Resolve(sharedHome)
	if config.Within(root, shared) || config.Within(shared, root) {
		return say.WithHint(disk.Unsafe("swop's root %s and the shared home %s contain one another", s.Root, sharedHome), "set SWOP_ROOT to a directory apart from CODEX_HOME")
	}
	return nil
}
