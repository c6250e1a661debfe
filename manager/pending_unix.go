//go:build unix

package manager

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
)

// MarkPending notes that the account is about to run: whoever starts next reconciles it, so that what codex makes in it does not
// wait for the account that made it. The mark is not synced: without it, that waits after all.
func (s Store) MarkPending(key string) error {
	file := filepath.Join(s.sub("pending"), key)
	fd, err := unix.Open(file, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600)
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	if err != nil {
		return &fs.PathError{Op: "open", Path: file, Err: err}
	}
	err = errors.Join(unix.Fchmod(fd, 0o600), unix.Close(fd)) // whatever the umask
	if err != nil {
		return &fs.PathError{Op: "chmod", Path: file, Err: err}
	}
	return nil
}

// SweepPending reconciles the accounts that ran since their last reconcile, but for the one with key except, and settles what add
// left unfinished. A mark goes once its account is at rest. It reports whether anything was mended; what is wrong with another account is
// returned, and stops nothing.
func (s Store) SweepPending(except string, root Root, settings config.Settings, silent Silence, say func(string)) (changed bool, err error) {
	marks, err := s.pending()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	defects := []error{err}
	for _, key := range marks {
		if key != except {
			moved, err := s.sweep(key, root, settings, silent, say)
			changed, defects = changed || moved, append(defects, err)
		}
	}
	return changed, errors.Join(defects...)
}

// pending returns the keys of the accounts that are marked.
func (s Store) pending() (keys []string, err error) {
	d, err := openFolder(s.sub("pending"), refuseLink)
	if err != nil {
		return nil, err
	}
	err = d.each(func(name string, _ dirent) error {
		if !strings.HasPrefix(name, ".") {
			keys = append(keys, name)
		}
		return nil
	})
	slices.Sort(keys)
	return keys, errors.Join(err, d.close())
}

func (s Store) sweep(key string, root Root, settings config.Settings, silent Silence, say func(string)) (changed bool, err error) {
	l, err := s.LockExclusive(key)
	resting := err == nil && !l.Unsupported
	if errors.Is(err, ErrInUse) {
		// A session runs. But whoever has the account to himself sees to it, or is taking it away.
		if l, err = s.LockSharedNow(key); errors.Is(err, ErrInUse) {
			return false, nil
		}
	}
	if err != nil {
		return false, err
	}
	defer l.Release()
	a, err := s.Account(key)
	switch {
	case errors.Is(err, ErrNoAccount) && resting:
		return false, s.unmark(key)
	case errors.Is(err, ErrNoAccount):
		return false, nil // it is being made
	case err != nil:
		return false, err
	case a.Meta.Unfinished && resting:
		return false, s.settle(a, root)
	case a.Meta.movedFrom != "" && resting:
		if err := s.finishRename(a); err != nil {
			return false, err
		}
		a.Meta.movedFrom = ""
	}
	quiet := Quiet{Resting: func() (bool, error) { return resting, nil }, Silent: silent}
	changed, err = s.reconcile(a, root, settings, quiet, say)
	if err != nil || !resting {
		return changed, err
	}
	return changed, s.unmark(key)
}

func (s Store) unmark(key string) error {
	err := os.Remove(filepath.Join(s.sub("pending"), key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// settle ends an add that was cut off: complete if the account has a login, gone if it has none.
func (s Store) settle(a Account, root Root) error {
	if mayHaveLogin(a, root.SharedHome.Path) {
		return s.Finish(a)
	}
	return s.Delete(a, "")
}

// Delete removes the account's sandbox and its mark. The caller holds the account exclusively. sharedHome is where transcripts are: those
// that codex recorded in the account stay to be found; "" where there are none.
func (s Store) Delete(a Account, sharedHome string) error {
	gone, err := s.trash(a, sharedHome)
	if err != nil {
		return err
	}
	return errors.Join(s.unmark(a.Key), s.discard(gone))
}
