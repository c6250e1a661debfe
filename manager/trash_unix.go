//go:build unix

package manager

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

	"swop/config"
)

// trash moves the account's sandbox into trash/ under a name of its own and returns where it is. From then on there is no such account,
// and in the same moment its relic is in its place, where it leaves one.
func (s Store) trash(a Account, sharedHome string) (string, error) {
	a, err := s.remnant(a.Key) // its directory is where its key says
	if err != nil {
		return "", err
	}
	gone := filepath.Join(s.sub("trash"), a.Key+"-"+randomName())
	if leavesRelic(a, sharedHome) {
		err = s.changePlaces(a, sharedHome, gone)
	} else {
		err = os.Rename(a.Dir, gone)
	}
	switch {
	case errors.Is(err, unix.EBUSY):
		return "", folder{path: s.accounts()}.mounted(a.Key)
	case err != nil:
		return "", err
	}
	return gone, config.SyncDir(s.accounts())
}

// changePlaces puts a relic where the account is, and the account where gone says. Killed in between, the account lies under the
// relic's name in trash/, which is emptied in any case.
func (s Store) changePlaces(a Account, sharedHome, gone string) error {
	building, err := lock(s.LockFile(buildLock), unix.LOCK_SH, unix.O_CLOEXEC|unix.O_CREAT)
	if err != nil {
		return err
	}
	defer building.Release()
	relic, err := s.buildRelic(sharedHome)
	if err != nil {
		return err
	}
	err = exchangeDirs(relic, a.Dir)
	if err == nil {
		return os.Rename(relic, gone)
	}
	if !noSuchRename(err) {
		return errors.Join(err, s.discard(relic))
	}
	if err := os.Rename(a.Dir, gone); err != nil {
		return errors.Join(err, s.discard(relic))
	}
	return os.Rename(relic, a.Dir) // killed before it, there is no relic
}

// exchangeDirs swaps two directories at once. The error is as [noSuchRename] wants it where the file system cannot.
func exchangeDirs(a, b string) error {
	if err := renameExchange(unix.AT_FDCWD, a, unix.AT_FDCWD, b); err != nil {
		return &os.LinkError{Op: "rename", Old: a, New: b, Err: err}
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
	defer trash.close()
	r := removal{top: trash}
	return r.remove(trash, filepath.Base(dir))
}

// openTrash opens trash/, which must be a directory of our own: what is in it is removed.
func (s Store) openTrash() (folder, error) {
	root, err := openFolder(s.Root, refuseLink)
	if err != nil {
		return folder{}, err
	}
	defer root.close()
	there, err := root.stat("trash")
	if err == nil && !there.exists() {
		err = root.fail("open", "trash", fs.ErrNotExist)
	}
	if err != nil {
		return folder{}, err
	}
	trash, err := root.enter("trash")
	if errors.Is(err, errAgain) {
		err = config.WithHint(unsafe("%s: is not a directory", s.sub("trash")), fmt.Sprintf("mv %s %s", ShellQuote(s.sub("trash")), ShellQuote(s.sub("trash")+".old")))
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
	defer trash.close()
	entries, err := trash.entries()
	left := []error{err}
	building, err := lock(s.LockFile(buildLock), unix.LOCK_EX|unix.LOCK_NB, unix.O_CLOEXEC|unix.O_CREAT)
	defer building.Release()
	r := removal{top: trash}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if err == nil || !strings.HasPrefix(name, buildPrefix) {
			left = append(left, r.remove(trash, name))
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
	defer trash.close()
	entries, err := trash.entries()
	var names []string
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		names = append(names, filepath.Join(s.sub("trash"), name))
	}
	return names, err
}
