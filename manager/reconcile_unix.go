//go:build unix

package manager

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
)

// Reconcile makes the account's sandbox whole: its codex home shows the shared home, its home shows the real one unless the
// account's isolation leaves HOME alone. In the steady state nothing is written and no lock is taken.
func (s Store) Reconcile(a Account, root Root, settings config.Settings) error {
	if err := root.check(); err != nil {
		return err
	}
	isolation, private := settings.For(a.Key)
	views := []view{{root.SharedHome.Path, a.CodexHome(), "", CodexHomeRules(private.CodexHome, a.Meta.State)}}
	if isolation == config.IsolateHome {
		home, former, err := s.realHome(&a)
		if err != nil {
			return err
		}
		views = append(views, view{home, a.Home(), former, HomeRules(private.Home, s.rootName())})
	}
	for _, v := range views {
		if err := s.show(v, root); err != nil {
			return err
		}
	}
	return nil
}

// view is one of the two directories that a sandbox shows.
type view struct {
	shared, sandbox string
	former          string // where shared was before, "" if it never moved
	rules           Rules
}

func (s Store) show(v view, root Root) (err error) {
	p := projection{rules: v.rules, former: v.former}
	if p.shared, err = openFolder(v.shared, followsLink); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.shared.close()) }()
	if p.sandbox, err = openFolder(v.sandbox, refuseLink); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.sandbox.close()) }()
	steps, err := p.look()
	if err != nil || len(steps) == 0 {
		return err
	}
	return s.underHomeLock(root, func() error {
		steps, err := p.look()
		if err != nil {
			return err
		}
		return p.act(steps)
	})
}

// underHomeLock runs f while no other reconcile of the same shared home runs.
func (s Store) underHomeLock(root Root, f func() error) error {
	var st unix.Stat_t
	if err := unix.Stat(root.SharedHome.Path, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: root.SharedHome.Path, Err: err}
	}
	l, err := lock(s.LockFile(fmt.Sprintf("home-%d-%d", st.Dev, st.Ino)), unix.LOCK_EX, unix.O_CLOEXEC)
	if err != nil {
		return err
	}
	defer l.Release()
	return f()
}

// rootName is the name of swop's own root at the top of the real home, "" if it lies deeper or elsewhere.
func (s Store) rootName() string {
	if filepath.Dir(s.Root) == s.Home {
		return filepath.Base(s.Root)
	}
	return ""
}

// realHome returns the home that the account's sandbox shows, and where it was before if it has moved since. An account is not
// shown another home than its own while that still exists.
func (s Store) realHome(a *Account) (home, former string, err error) {
	own := a.Meta.RealHome
	if own == s.Home {
		return own, "", nil
	}
	then, err := os.Stat(own)
	if errors.Is(err, fs.ErrNotExist) || own == "" {
		a.Meta.RealHome = s.Home
		return s.Home, own, s.writeMeta(*a)
	}
	if err != nil {
		return "", "", err
	}
	now, err := os.Stat(s.Home)
	if err != nil {
		return "", "", err
	}
	if !os.SameFile(then, now) {
		err := unsafe("the account %q belongs to the home %s, but HOME is %s", a.Meta.Label, own, s.Home)
		return "", "", config.WithHint(err, fmt.Sprintf("export HOME=%s", ShellQuote(own)))
	}
	return own, "", nil
}

// MarkPending notes that the account is about to run: whoever starts next reconciles it, so that what codex makes in it does not
// wait for the account that made it.
func (s Store) MarkPending(key string) error {
	file := filepath.Join(s.sub("pending"), key)
	fd, err := unix.Open(file, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600)
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	if err != nil {
		return &fs.PathError{Op: "open", Path: file, Err: err}
	}
	return unix.Close(fd)
}

// SweepPending reconciles the accounts that ran since their last reconcile, but for the one with key except, and settles what add
// left unfinished. A mark goes once its account is at rest. What is wrong with another account is returned, and stops nothing.
func (s Store) SweepPending(except string, root Root, settings config.Settings) error {
	marks, err := os.ReadDir(s.sub("pending"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	defects := []error{err}
	for _, mark := range marks {
		if key := mark.Name(); key != except && !strings.HasPrefix(key, ".") {
			defects = append(defects, s.sweep(key, root, settings))
		}
	}
	return errors.Join(defects...)
}

func (s Store) sweep(key string, root Root, settings config.Settings) error {
	l, err := s.LockExclusive(key)
	resting := err == nil && !l.Unsupported
	if err != nil && !errors.Is(err, ErrInUse) {
		return err
	}
	defer l.Release()
	a, err := s.Account(key)
	switch {
	case errors.Is(err, ErrNoAccount) && resting:
		return s.unmark(key)
	case err != nil:
		return err
	case a.Meta.Unfinished && resting:
		return s.settle(a, root)
	}
	if err := s.Reconcile(a, root, settings); err != nil || !resting {
		return err
	}
	return s.unmark(key)
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
	return s.Delete(a)
}

// Delete removes the account's sandbox and its mark. The caller holds the account exclusively.
func (s Store) Delete(a Account) error {
	gone, err := s.trash(a)
	if err != nil {
		return err
	}
	return errors.Join(s.unmark(a.Key), s.discard(gone))
}
