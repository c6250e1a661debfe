// Package join lets the codex home of a sandbox show the shared one on Windows: directories as junctions, files as hard links. All that it moves it
// moves at rest.
package join

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"swop/account"
	"swop/disk"
	"swop/home/history"
	"swop/home/pinned"
	"swop/home/rules"
)

// Neither a junction nor a hard link needs a privilege, as a symbolic link does. HOME is not shown. That a file is one with another does not show in
// its name, so the engine notes what it linked: see linked.

// Options say how an account is reconciled.
type Options struct {
	Layout  account.Layout
	Account account.Account
	Root    account.Root
	Private []string                               // the user's patterns for the codex home
	Idle    func() (bool, error)                   // reports whether nobody else holds the account's lock; nil for no
	Waiting func(lockFile string) (arrived func()) // is called before the lock of the shared home is waited for; nil for nothing
	Say     func(string)                           // gets a line for each version that is kept because two changed, and for what waits

	Unlinkable func(dir string) string // returns why a directory's disk has no links, "" where it has
	Clock      func() time.Time
}

// Reconcile repairs the account's sandbox: its codex home shows the shared home. At rest it shares what the account's programs made or
// replaced, by the rules. It reports whether there was anything to repair.
func Reconcile(o Options) (changed bool, err error) {
	e, err := open(o)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	findings, err := e.scan()
	if err != nil || len(findings) == 0 && maps.Equal(e.was, e.now) && !e.pins.Changed {
		return false, err
	}
	return true, e.Layout.UnderHomeLock(e.Root.SharedHome.Path, e.Waiting, e.repairAll)
}

// Examine tells of each entry that the next reconcile of the account would repair. It writes nothing.
func Examine(o Options, tell func(name, text string)) (err error) {
	e, err := open(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	findings, err := e.scan()
	for _, f := range findings {
		if text := kinds[f.kind].text; text != "" {
			tell(f.name, text)
		}
	}
	return err
}

// engine is one reconcile of one account.
type engine struct {
	Options
	rules rules.Rules
	pins  *pinned.Names

	shared, own disk.Dir // the shared codex home, and the account's
	was, now    linked   // what the last reconcile noted of files, and what this one does
	atRest      bool
	waits       []error // why entries could not be repaired
}

func open(o Options) (e *engine, err error) {
	shared := o.Root.SharedHome.Path
	if err := errors.Join(o.Root.Check(), CheckVolumes(shared, o.Layout.Root, o.Unlinkable)); err != nil {
		return nil, err
	}
	e = &engine{Options: o, rules: rules.CodexHomeRules(o.Private, o.Account.Meta.State)}
	if e.pins, err = pinned.Read(o.Account); err != nil {
		return nil, err
	}
	if e.was, err = readLinked(o.Account); err != nil {
		return nil, err
	}
	if e.shared, err = disk.Open(shared, disk.Follow); err != nil {
		return nil, err
	}
	if e.own, err = disk.OpenBelow(o.Account.Dir, o.Account.CodexHome()); err != nil {
		return nil, errors.Join(err, e.shared.Close())
	}
	return e, nil
}

func (e *engine) close() error { return errors.Join(e.shared.Close(), e.own.Close()) }

// finding is an entry that is not as it should be.
type finding struct {
	kind kind
	name string
}

type kind uint8

// The kinds of findings, in the order of their repairs. What follows missingLink is repaired at rest only.
const (
	missingShared kind = iota // the shared home lacks a known directory
	wrongLink                 // what is at the entry's place leads elsewhere, or is linked and private
	missingLink               // the sandbox lacks an entry
	removedLink               // a program removed a name of a file that both homes had
	staleLink                 // the shared file was replaced or removed outside, and the sandbox has the old one
	ownVersion                // the sandbox has an entry of its own: a new one, or in the place of the shared one
	newSetup                  // the sandbox of Windows was set up in this account
	oldMarker                 // the marker of that set-up is not the same in both homes
)

// kinds has the repair of each kind, and what is told of it where it waits for the next reconcile.
var kinds = [...]struct {
	repair func(e *engine, name string) error
	text   string
}{
	missingShared: {func(e *engine, name string) error { return e.shared.Mkdir(name) }, ""},
	wrongLink:     {(*engine).unlink, "is a link that points to the wrong place"},
	missingLink:   {(*engine).link, ""},
	removedLink:   {func(e *engine, name string) error { return e.keep(e.shared, name, history.Removed) }, ""},
	staleLink:     {(*engine).unlink, ""},
	ownVersion:    {(*engine).fold, "waits to be shared, or is this account's own version of a shared entry"},
	newSetup:      {(*engine).shareSetup, "waits to be shared: codex's sandbox was set up in this account"},
	oldMarker:     {(*engine).copyMarker, ""},
}

// repairAll scans again and repairs, until nothing is left that can be repaired now.
func (e *engine) repairAll() (err error) {
	if e.Idle != nil {
		if e.atRest, err = e.Idle(); err != nil {
			return err
		}
	}
	for range disk.Rounds {
		e.waits = nil
		findings, err := e.scan()
		if err != nil {
			return err
		}
		again := false
		for _, f := range findings {
			if !e.atRest && f.kind > missingLink {
				continue
			}
			if err := kinds[f.kind].repair(e, f.name); err != nil {
				e.wait(f.name, err)
			} else {
				again = true
			}
		}
		if !again {
			break
		}
	}
	e.tell()
	if e.pins.Changed {
		err = e.pins.Write(e.Account)
	}
	return errors.Join(err, e.now.write(e.Account))
}

func (e *engine) wait(name string, why error) {
	e.waits = append(e.waits, fmt.Errorf("%q waits to be shared: %w", name, why))
}

// tell says what could not be repaired: the first entry, and how many others.
func (e *engine) tell() {
	switch n := len(e.waits); {
	case n == 1:
		e.Say(fmt.Sprintf("account %q: %v", e.Account.Meta.Label, e.waits[0]))
	case n > 1:
		e.Say(fmt.Sprintf("account %q: %v; %d more wait", e.Account.Meta.Label, e.waits[0], n-1))
	}
}

// scan finds what is to be repaired, in the order of the repairs. It notes the files that are linked.
func (e *engine) scan() (list []finding, err error) {
	shared, err := e.shared.Entries()
	all, err2 := e.own.Entries()
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	e.now = maps.Clone(e.was) // what waits to be repaired keeps what is known of it
	e.pin(all)
	maps.Copy(all, shared)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		kind, found, err := e.judge(name)
		if err != nil {
			e.wait(name, err)
		} else if found {
			list = append(list, finding{kind, name})
		}
	}
	dirs, _ := e.rules.Ahead()
	for _, name := range dirs {
		if _, there := all[name]; !there && e.isShared(name) {
			list = append(list, finding{missingShared, name})
		}
	}
	list = append(list, e.scanSetup()...)
	slices.SortStableFunc(list, func(a, b finding) int { return int(a.kind) - int(b.kind) })
	return list, nil
}

// isShared reports whether the sandbox shows the entry. A database is not shown, whose log would lie beside the link: CODEX_SQLITE_HOME leads
// codex to the shared one.
func (e *engine) isShared(name string) bool {
	row, _ := e.rules.Row(name)
	return row.Class.Shared() && !row.Database && !disk.IsCopy(name) && !e.pins.Has(rules.CodexView, name)
}

// pin notes the entries that the account keeps to itself, and goes on with those that an earlier pattern made private.
func (e *engine) pin(own map[string]disk.Entry) {
	for name := range own {
		row, _ := e.rules.Row(name)
		there, _ := e.shared.Stat(name) // what cannot be read is neither: judge tells of it
		mine, _ := e.own.Stat(name)
		if there.Same(mine) || mine.IsLink() {
			e.pins.Unpin(rules.CodexView, name)
		} else {
			e.pins.Settle(rules.CodexView, name, row)
		}
	}
	e.pins.SetPatterns(rules.CodexView, e.rules.Private)
}

// judge returns what is wrong with the entry called name, and whether anything is.
func (e *engine) judge(name string) (kind, bool, error) {
	there, err := e.shared.Stat(name)
	mine, err2 := e.own.Stat(name)
	target, err3 := e.own.Readlink(name)
	if err := errors.Join(err, err2, err3); err != nil {
		return 0, false, err
	}
	place := filepath.Join(e.shared.Path, name)
	leads := mine.IsLink() && (filepath.Clean(target) == place || disk.SameFile(target, place))
	switch {
	case e.rules.Class(name) == rules.Ignored || isSetup(name) && !mine.IsLink() && !setUp(e.shared):
		return 0, false, nil
	case !e.isShared(name):
		return wrongLink, leads || there.IsRegular() && there.Same(mine), nil
	case mine.IsLink():
		return wrongLink, !leads || !there.Exists(), nil
	case there.IsRegular() && there.Same(mine):
		e.now[name] = seenOf(there)
		return 0, false, nil
	case !mine.Exists() && e.rules.Class(name) == rules.HardLink && e.was.knew(name, there):
		return removedLink, true, nil
	case !mine.Exists():
		return missingLink, there.IsDir() || there.IsRegular(), nil
	case mine.IsRegular() && e.was.knew(name, mine) && !there.IsDir():
		return staleLink, true, nil
	}
	return ownVersion, mine.IsDir() || mine.IsRegular(), nil
}
