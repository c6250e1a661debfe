package home

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/rules"
)

// Exit is the way out of sandboxes: the one for all who remove them.
type Exit struct {
	Store    store.Store
	Root     account.Root
	Settings config.Settings
	Checks   Checks
	Say      func(string)
}

// Leaving is an account to be removed, which the caller holds exclusively.
type Leaving struct {
	account.Account
	Agreed []string // the transcripts that the user agreed to lose
}

// Discard removes the accounts, and returns those that are gone, in words. Of all of them what waits is shared first; then all that their
// sandboxes have, by the directories themselves, is kept and named, except links at their own names and what is an account's alone by the
// table. Where that fails, none is removed.
func (x Exit) Discard(accounts ...Leaving) (gone []string, err error) {
	for _, a := range accounts {
		if a.Meta.Confine == "" { // else all is its own
			err = x.keepRest(a)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, a := range accounts {
		if err := x.Store.Delete(a.Account, x.Root.SharedHome.Path); err != nil {
			return gone, err
		}
		gone = append(gone, fmt.Sprintf("account %q", a.Meta.Label))
	}
	return gone, nil
}

// keepRest shares what can be shared of a sandbox, and moves to kept/ what would be lost with it.
func (x Exit) keepRest(a Leaving) error {
	if _, err := x.Store.Account(a.Key); err == nil { // else its homes are incomplete, and all that is left is kept
		o := Options{Idle: func() (bool, error) { return true, nil }, Checks: x.Checks, Thorough: true}
		_, _ = Reconcile(x.Store, a.Account, x.Root, x.Settings, o, x.Say) // what it could not share is kept
	}
	var names []string
	shared := [][]string{append([]string{x.Root.SharedHome.Path}, x.Root.Former...), {x.Store.Home, a.Meta.RealHome}}
	for i, v := range viewsOf(x.Store.Layout, a.Account, x.Settings) {
		own, err := disk.OpenBelow(x.Store.AccountDir(a.Key), v.Sandbox)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, sys.ENOTDIR) || errors.Is(err, sys.ELOOP) {
			continue
		}
		if err == nil {
			var kept []string
			kept, err = x.keepOwn(a, v, own, shared[i])
			names = append(names, kept...)
		}
		if err := errors.Join(err, own.Close()); err != nil {
			return err
		}
	}
	if len(names) > 0 {
		x.Say(fmt.Sprintf("kept what only account %q had: %s; see: codex swop history", a.Meta.Label, strings.Join(names, ", ")))
	}
	return nil
}

// keepOwn does keepRest for one of the two directories. It returns the names, quoted.
func (x Exit) keepOwn(a Leaving, v rules.View, own disk.Dir, shared []string) (names []string, err error) {
	now, err := disk.FileClock()
	entries, err2 := own.Entries()
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		row, named := v.Rules.Row(name)
		mine, err := own.Stat(name)
		target, err2 := own.Readlink(name)
		if err := errors.Join(err, err2); err != nil {
			return names, err
		}
		same := func(dir string) bool {
			at := filepath.Join(dir, name)
			return target != "" && target == at || mine.IsRegular() && mine.Same(disk.At(at))
		}
		switch {
		case !mine.Exists(): // it went with its database
			continue
		case named && row.Class == rules.Private && (!row.Transcript || slices.Contains(a.Agreed, name)) && (name != ".codex" || mine.IsDir()):
			continue
		case slices.ContainsFunc(shared, same), mine.IsDir() && own.Rmdir(name) == nil:
			continue
		}
		below := when(v.Name == rules.CodexView, keptCodex)
		err = inKept(x.Store.Root, below, a.Key, time.Unix(now.Unix()), func(files disk.Dir) error { return moveWithLogs(own, name, files) })
		if errors.Is(err, sys.EBUSY) {
			err = disk.Mounted(filepath.Join(own.Path, name))
		}
		if err != nil {
			return names, err
		}
		names = append(names, strconv.Quote(name))
	}
	return names, nil
}
