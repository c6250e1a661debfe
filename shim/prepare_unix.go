//go:build unix

package shim

import (
	"errors"
	"io"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/manager/account"
	"swop/manager/projection"
	"swop/manager/store"
	"swop/say"
)

// Prepared is an account whose sandbox is whole.
type Prepared struct {
	account.Account
	Root     account.Root
	Settings config.Settings
}

// PrepareOptions is what an account is made ready with.
type PrepareOptions struct {
	NoProcesses projection.ProcessCheck // is asked, which may take long, where a database or a copy waits for it
	Progress    func(done, among int)   // is told how far it has come; may be nil
	Stderr      io.Writer               // gets what is said
	Now         time.Time
}

// Say says a line.
func (m PrepareOptions) Say(line string) { say.Line(m.Stderr, "%s", line) }

// Watch lets somebody follow how an account is made ready, by what it changes in m. end is called when that is done, before an exec.
type Watch func(label string, m *PrepareOptions) (end func())

// Prepare opens the account that label names, creates it if there is none, and makes its sandbox whole. The lock that it takes stays
// open across exec.
func (s Invocation) Prepare(label string, settings config.Settings, m PrepareOptions) (Prepared, error) {
	ready, _, err := s.prepare(label, settings, m, true)
	return ready, err
}

// Hold is Prepare for a program that goes on: the lock is closed on exec, and the caller's to release.
func (s Invocation) Hold(label string, settings config.Settings, m PrepareOptions) (Prepared, account.Lock, error) {
	ready, l, err := s.prepare(label, settings, m, false)
	if err != nil {
		l.Release()
	}
	return ready, l, err
}

func (s Invocation) prepare(label string, settings config.Settings, m PrepareOptions, inherit bool) (Prepared, account.Lock, error) {
	key, err := config.Key(label)
	if err != nil {
		return Prepared{}, account.Lock{}, err
	}
	if err := s.Owned(); err != nil {
		return Prepared{}, account.Lock{}, err
	}
	defer s.ActAsOwner()()
	st, err := store.Open(s.Places)
	if err != nil {
		return Prepared{}, account.Lock{}, err
	}
	e := entrance{Invocation: s, store: st, label: label, key: key, settings: settings, PrepareOptions: m, inherit: inherit}
	ready, l, err := e.pass((*account.Lock).Alone)
	if errors.Is(err, account.ErrHoldLost) {
		// Who took the account brings up to date what there is, or takes it away: it is waited for, and looked at anew. What waits then
		// waits on, and the hold is not given up again.
		l.Release()
		ready, l, err = e.pass(func(*account.Lock) (bool, error) { return false, nil })
	}
	return ready, l, err
}

// entrance is a call on its way into an account.
type entrance struct {
	Invocation
	PrepareOptions
	store      store.Store
	label, key string
	settings   config.Settings
	inherit    bool // the lock stays open across exec

	sighting store.Sighting // of the account, before its lock was waited for
}

// pass locks the account and makes its sandbox whole. alone is asked whether no one else is in it.
func (e *entrance) pass(alone func(*account.Lock) (bool, error)) (Prepared, account.Lock, error) {
	ready := Prepared{Settings: e.settings}
	acct, l, err := e.enter()
	if err != nil {
		return ready, l, err
	}
	ready.Account = acct
	// Read now that the account is held: while it was waited for, the shared home may have been moved.
	if ready.Root, err = store.ReadRoot(e.Places.Root); err != nil {
		return ready, l, err
	}
	entered := e.store.Sight(e.key)
	// What others made comes first, so that this session sees it. What is wrong with another account is said when that one is used,
	// listed or examined; this call goes on.
	changed, _ := projection.SweepPending(e.store, e.key, ready.Root, e.settings, e.NoProcesses, e.Say)
	quiet := projection.Options{Idle: func() (bool, error) { return alone(&l) }, NoProcesses: e.NoProcesses, Fresh: changed, Progress: e.Progress}
	if err := projection.Reconcile(e.store, acct, ready.Root, e.settings, quiet, e.Say); err != nil {
		return ready, l, err
	}
	if entered.Seen() && !entered.Still(e.store, e.key) {
		return ready, l, account.ErrHoldLost // and held again, by a hair's breadth: what is held is not what was entered
	}
	if err := e.store.MarkPending(e.key); err != nil {
		return ready, l, err
	}
	return ready, l, e.store.Touch(acct, e.Now)
}

// enter locks the account as a session does and opens it, or makes it. One that was there before its lock was waited for, and then is not,
// is not made anew: see [manager.Sighting].
func (e *entrance) enter() (account.Account, account.Lock, error) {
	if !e.sighting.Seen() {
		e.sighting = e.store.Sight(e.key)
	}
	l, err := e.store.EnterShared(e.key, e.inherit)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
		if _, err := e.create(); err != nil {
			return account.Account{}, l, err
		}
		l, err = e.store.LockShared(e.key, e.inherit)
	}
	if err != nil {
		return account.Account{}, l, err
	}
	a, err := e.open()
	if err != nil || !a.Meta.Unfinished {
		return a, l, err
	}
	l.Release()
	if err := e.store.Resume(a); err != nil {
		return a, l, err
	}
	if l, err = e.store.LockShared(e.key, e.inherit); err != nil {
		return a, l, err
	}
	a, err = e.open() // its add may have been taken back meanwhile
	return a, l, err
}

// open opens the account, which is locked, or makes it.
func (e *entrance) open() (account.Account, error) {
	a, err := e.store.Account(e.key)
	if errors.Is(err, account.ErrNoAccount) {
		return e.create()
	}
	return a, err
}

func (e *entrance) create() (account.Account, error) {
	if a, err := e.store.Account(e.key); !errors.Is(err, account.ErrNoAccount) {
		if err == nil {
			err = e.store.MakeDirs() // its lock is missing, perhaps with the directory
		}
		return a, err
	}
	if err := e.mayCreate(); err != nil {
		return account.Account{}, err
	}
	a, err := e.store.Create(store.New{Label: e.label, State: account.StateShared, SharedHome: e.SharedHome(), Now: e.Now})
	if errors.Is(err, account.ErrExists) {
		return a, nil
	}
	if err == nil {
		say.Line(e.Stderr, "created account %q; log in with: SWOP_ACCOUNT=%s codex login", e.label, say.ShellQuote(e.label))
	}
	return a, err
}

// mayCreate refuses to make an account that was there a moment ago, that the selector has forgotten since it was read, or whose name is
// most likely a slip.
func (e *entrance) mayCreate() error {
	if e.sighting.Seen() || e.Found {
		return e.store.Gone(e.label, e.sighting)
	}
	choice, err := e.Choose()
	if err != nil {
		return err
	}
	if key, err := config.Key(choice.Label); err != nil || key != e.key {
		return e.store.Gone(e.label, e.sighting)
	}
	if err := e.store.Slip(e.label, e.key); err != nil {
		return say.WithHint(err, "if it is a new one: codex swop add "+say.ShellQuote(e.label))
	}
	return nil
}

// Environment returns the environment of the account's session: the caller's, in its order, with exactly one each of the variables
// that make it one.
func (s Invocation) Environment(r Prepared) config.Env { return s.Env.WithAll(s.variables(&r)...) }

// environment is Environment with the loop guard.
func (s *Invocation) environment(r *Prepared, g *guard) config.Env {
	return s.Env.WithAll(append(s.variables(r), config.Variable{Name: guardVariable, Value: g.String()})...)
}

func (s *Invocation) variables(r *Prepared) []config.Variable {
	isolation, _ := r.Settings.For(r.Key)
	set := make([]config.Variable, 0, 7)
	if isolation == config.IsolateHome {
		set = append(set, config.Variable{Name: "HOME", Value: r.Home()})
	}
	set = append(set, config.Variable{Name: "CODEX_HOME", Value: r.CodexHome()})
	switch {
	case r.Meta.State == account.StatePrivate:
		set = append(set, config.Variable{Name: "CODEX_SQLITE_HOME", Remove: true}) // its databases are its own, wherever the caller has his
	case s.Env.Value("CODEX_SQLITE_HOME") == "":
		set = append(set, config.Variable{Name: "CODEX_SQLITE_HOME", Value: r.Root.SharedHome.Path})
	}
	set = append(set, config.Variable{Name: "SWOP_ACCOUNT", Value: r.Key}, config.Variable{Name: "SWOP_OUTER", Value: s.outerValue()})
	return set
}
