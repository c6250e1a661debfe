//go:build unix

package shim

import (
	"errors"
	"io"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/manager"
)

// Ready is an account whose sandbox is whole.
type Ready struct {
	manager.Account
	Root     manager.Root
	Settings config.Settings
}

// Prepare opens the account that label names, creates it if there is none, and makes its sandbox whole. The lock that it takes stays
// open across exec. silent is asked, which may take long, where a database or a copy waits for it. What it says goes to w.
func (s Scene) Prepare(label string, settings config.Settings, silent manager.Silence, w io.Writer, now time.Time) (Ready, error) {
	ready, _, err := s.prepare(label, settings, silent, w, now, true)
	return ready, err
}

// Hold is Prepare for a program that goes on: the lock is closed on exec, and the caller's to release.
func (s Scene) Hold(label string, settings config.Settings, silent manager.Silence, w io.Writer, now time.Time) (Ready, manager.Lock, error) {
	ready, l, err := s.prepare(label, settings, silent, w, now, false)
	if err != nil {
		l.Release()
	}
	return ready, l, err
}

func (s Scene) prepare(label string, settings config.Settings, silent manager.Silence, w io.Writer, now time.Time, inherit bool) (Ready, manager.Lock, error) {
	ready := Ready{Settings: settings, Root: s.Root}
	key, err := config.Key(label)
	if err != nil {
		return ready, manager.Lock{}, err
	}
	if err := s.Owned(); err != nil {
		return ready, manager.Lock{}, err
	}
	defer s.ActAsOwner()()
	store, err := manager.Open(s.Places)
	if err != nil {
		return ready, manager.Lock{}, err
	}
	account, l, err := s.enter(store, label, key, w, now, inherit)
	if err != nil {
		return ready, l, err
	}
	ready.Account = account
	if ready.Root.SharedHome.Path == "" {
		if ready.Root, err = manager.ReadRoot(s.Places.Root); err != nil {
			return ready, l, err
		}
	}
	say := func(line string) { Say(w, "%s", line) }
	// What others made comes first, so that this session sees it. What is wrong with another account is said when that one is used,
	// listed or examined; this call goes on.
	changed, _ := store.SweepPending(key, ready.Root, settings, silent, say)
	quiet := manager.Quiet{Resting: l.Alone, Silent: silent, Fresh: changed}
	if err := store.Reconcile(account, ready.Root, settings, quiet, say); err != nil {
		return ready, l, err
	}
	if err := store.MarkPending(key); err != nil {
		return ready, l, err
	}
	return ready, l, store.Touch(ready.Account, now)
}

// enter locks the account as a session does and opens it, or makes it.
func (s Scene) enter(store manager.Store, label, key string, w io.Writer, now time.Time, inherit bool) (manager.Account, manager.Lock, error) {
	l, err := store.EnterShared(key, inherit)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
		if _, err := s.create(store, label, key, w, now); err != nil {
			return manager.Account{}, l, err
		}
		l, err = store.LockShared(key, inherit)
	}
	if err != nil {
		return manager.Account{}, l, err
	}
	a, err := store.Account(key)
	if errors.Is(err, manager.ErrNoAccount) {
		a, err = s.create(store, label, key, w, now)
		return a, l, err
	}
	if err != nil || !a.Meta.Unfinished {
		return a, l, err
	}
	l.Release()
	if err := store.Resume(a); err != nil {
		return a, l, err
	}
	if l, err = store.LockShared(key, inherit); err != nil {
		return a, l, err
	}
	a, err = store.Account(key)
	return a, l, err
}

func (s Scene) create(store manager.Store, label, key string, w io.Writer, now time.Time) (manager.Account, error) {
	if a, err := store.Account(key); !errors.Is(err, manager.ErrNoAccount) {
		if err == nil {
			err = store.MakeDirs() // its lock is missing, perhaps with the directory
		}
		return a, err
	}
	if err := store.Slip(label, key); err != nil {
		return manager.Account{}, config.WithHint(err, "if it is a new one: codex swop add "+manager.ShellQuote(label))
	}
	a, err := store.Create(manager.New{Label: label, State: manager.StateShared, SharedHome: s.SharedHome(), Now: now})
	if errors.Is(err, manager.ErrExists) {
		return a, nil
	}
	if err == nil {
		Say(w, "created account %q; log in with: SWOP_ACCOUNT=%s codex login", label, manager.ShellQuote(label))
	}
	return a, err
}

// Environment returns the environment of the account's session: the caller's, in its order, with exactly one each of the variables
// that make it one.
func (s Scene) Environment(r Ready) config.Env { return s.Env.WithAll(s.variables(&r)...) }

// environment is Environment with the loop guard.
func (s *Scene) environment(r *Ready, g *guard) config.Env {
	return s.Env.WithAll(append(s.variables(r), config.Variable{Name: guardVariable, Value: g.String()})...)
}

func (s *Scene) variables(r *Ready) []config.Variable {
	isolation, _ := r.Settings.For(r.Key)
	set := make([]config.Variable, 0, 7)
	if isolation == config.IsolateHome {
		set = append(set, config.Variable{Name: "HOME", Value: r.Home()})
	}
	set = append(set, config.Variable{Name: "CODEX_HOME", Value: r.CodexHome()})
	switch {
	case r.Meta.State == manager.StatePrivate:
		set = append(set, config.Variable{Name: "CODEX_SQLITE_HOME", Remove: true}) // its databases are its own, wherever the caller has his
	case s.Env.Value("CODEX_SQLITE_HOME") == "":
		set = append(set, config.Variable{Name: "CODEX_SQLITE_HOME", Value: r.Root.SharedHome.Path})
	}
	set = append(set, config.Variable{Name: "SWOP_ACCOUNT", Value: r.Key}, config.Variable{Name: "SWOP_OUTER", Value: s.outerValue()})
	return set
}
