// Package home makes a sandbox show the two shared homes, by the one rule of docs/decisions/0161-one-rule-of-links.md.
//
// The same engine serves the codex home and HOME. On Windows, where HOME is left alone, junctions and hard links stand for symbolic links,
// and all that is moved is moved at rest: no session of the account runs.
package home

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/rules"
)

// Homes are the sandboxes of one root, with the settings of their repair, and questions that package home leaves to others, since codex
// itself links it. [Homes.Ready] asks none.
type Homes struct {
	Store    store.Store
	Root     account.Root
	Settings config.Settings
	Say      func(string)
	// EndAdd completes or undoes the login of an interrupted add, and reports whether the account has a login now.
	EndAdd func(account.Account) (hasLogin bool, err error)
	// NoSession reports whether no session of the account runs. Idle accounts are asked about, too: a session may have lost its lock.
	NoSession func(a account.Account, idle bool) (bool, error)
	// Waiting is called with the lock file of the shared home before a wait for that lock; arrived is called after the wait.
	Waiting func(lockFile string) (arrived func())

	since comparison // of [Homes.unchanged], which codex itself calls
}

// Options says what may be moved in an account.
type Options struct {
	Idle   func() (bool, error) // whether nobody else holds the account's lock, as its sessions do: [AtRest], [InUse], or a question
	Former string               // a home whose links are to lead into this one, "" for none
	// LinksOnly is for `codex` itself: it makes and removes links of ours, and fails with an error where more is to be done.
	LinksOnly bool

	hardLinks bool          // as on Windows, for tests elsewhere
	quietFor  time.Duration // for tests; 0 for ten seconds
}

// AtRest and InUse are values of [Options.Idle] for callers that know the answer.
func AtRest() (bool, error) { return true, nil }
func InUse() (bool, error)  { return false, nil }

// Reconcile repairs the account's sandbox by the one rule: its codex home shows the shared home, and its home shows the real one unless
// the account's isolation leaves HOME alone. Say gets a line for each version that is kept because both homes changed, and one for the
// entries that wait.
func (h Homes) Reconcile(a account.Account, o Options) error {
	if a.Meta.Confine != "" { // its home is its own
		return h.Root.Check()
	}
	e, err := h.open(a, o)
	defer e.close()
	if err != nil {
		return err
	}
	for _, v := range e.views {
		v.inherit()
	}
	unmarked := e.copyMarker() // the next start tries again
	unseen := e.begin()
	if err = when(o.LinksOnly, unseen); err == nil {
		err = e.reconcile()
	}
	if err != nil {
		return err
	}
	unpinned := e.pins.write(a) // likewise: until then it goes by the patterns of the last time
	e.remember()
	complete := errors.Join(unseen, unmarked, unpinned) == nil && len(e.waits) == 0
	for _, v := range e.views {
		for _, f := range v.entries {
			v.sum(f)
			complete = complete && !f.isWrong()
		}
	}
	e.sees[0] = e.views[0].homes
	complete = e.sees.write(a.Dir) == nil && complete
	e.end(complete)
	return nil
}

// engine is one reconcile of one account.
type engine struct {
	Homes
	account account.Account
	options Options
	views   []*view
	began   stamp // of this look, without what is in the directories of the views
	asLast  bool  // the last look left both directories of the sandbox as they are
	pins    pins
	seen    seen                 // the shared files at the last look
	sees    seen                 // the shared files now
	waits   []Defect             // the entries that could not be repaired
	led     map[place]int        // of the last scan: how many links of ours at other names lead to a place
	wasLed  map[place]bool       // of all scans: where such links led, so that a session can have written through one
	inodes  map[uint64]place     // of the last scan: the files that are shared by hard links
	idle    func() (bool, error) // whether no session of the account runs; it asks once
}

// view is one of the two homes of a sandbox, and the shared directory that it shows.
type view struct {
	*engine
	rules.View
	shared, own disk.Dir
	former      []string               // where the shared directory was before
	hardLinks   bool                   // files are shared by hard links
	device      uint64                 // of the shared directory
	sandbox     uint64                 // the device of the sandbox's directory
	homes       sighting               // both directories: see [seen]
	names       map[string]fs.FileMode // of the last scan: what either home has or should have
	entries     map[string]entry       // the last look at each of these
	ownSum      rules.Names            // of the sandbox's entries
	sharedSum   rules.Names            // of the shared home's entries
}

func (h Homes) open(a account.Account, o Options) (e *engine, err error) {
	e = &engine{Homes: h, account: a, options: o, wasLed: map[place]bool{}}
	e.idle = sync.OnceValues(func() (idle bool, err error) { // an account that is idle stays so until the caller releases its lock
		if idle, err = o.Idle(); err == nil && h.NoSession != nil {
			idle, err = h.NoSession(a, idle)
		}
		return idle, err
	})
	if err = h.Root.Check(); err == nil {
		e.pins, err = readPins(a)
	}
	if err == nil {
		err = e.setViews()
	}
	if err != nil {
		return e, err
	}
	// What was seen in other codex homes than the present ones, as before a confinement, tells nothing.
	if e.seen = readSeen(a.Dir); e.seen[0] != e.views[0].homes {
		e.seen = seen{}
	}
	return e, nil
}

// setViews sets what the sandbox shows: the codex home always, and HOME, except on Windows, if the isolation says so or an earlier one did.
func (e *engine) setViews() error {
	isolation, private := e.Settings.For(e.account.Key)
	codex, home := rules.Views(e.Store.Layout, e.account, private)
	if err := e.addView(codex, e.Root.SharedHome.Path, e.Root.Former...); err != nil || hardLinks {
		return err
	}
	if isolation != config.IsolateHome {
		// A sandbox home with more in it than the codex home, left by an earlier isolation, is reconciled all the same.
		if entries, err := os.ReadDir(home.Sandbox); err == nil && len(entries) <= 1 {
			return nil
		}
	}
	at, former, err := store.RealHome(e.Store, &e.account)
	if err != nil {
		return err
	}
	return e.addView(home, at, former, e.options.Former)
}

// addView opens the directories of a view. former are earlier paths of the shared directory.
func (e *engine) addView(v rules.View, shared string, former ...string) (err error) {
	at := &view{engine: e, View: v, former: former, hardLinks: hardLinks || e.options.hardLinks}
	e.views = append(e.views, at)
	if at.shared, err = disk.Open(shared, disk.Follow); err == nil {
		at.own, err = disk.OpenBelow(e.account.Dir, v.Sandbox)
	}
	if err != nil {
		return err
	}
	one, err := at.shared.Stat(".")
	other, err2 := at.own.Stat(".")
	at.device, at.sandbox, at.homes = one.Dev, other.Dev, sighting{Ino: other.Ino, Size: one.Ino}
	return errors.Join(err, err2)
}

// close closes the directories of the views. Nothing was written through them.
func (e *engine) close() {
	for _, v := range e.views {
		_, _ = v.shared.Close(), v.own.Close()
	}
}

// reconcile scans, and looks at the faulty entries again under the lock of the shared home: one run repairs at a time. Copies come in the
// place of copied links before, since others would wait for the lock: they are written to the sandbox alone. Entries that a program changes
// meanwhile are left to the next start.
func (e *engine) reconcile() error {
	found, err := e.scan()
	for _, f := range found {
		if err == nil && f.fault == copiedLink {
			err = f.view.wait(f, f.view.repair(f))
		}
	}
	if err != nil || len(found) == 0 {
		return err
	}
	return e.Store.UnderHomeLock(e.Root.SharedHome.Path, when(e.options.LinksOnly, sys.LOCK_NB), e.Waiting, func() (err error) {
		for tried := map[place]bool{}; ; {
			if found, err = e.again(found); err != nil {
				return err
			}
			next := e.next(found, tried)
			for _, f := range next {
				if tried[f.place] = true; err == nil {
					err = f.view.wait(f, f.view.repair(f))
				}
			}
			if err != nil || len(next) == 0 {
				return err
			}
		}
	})
}
