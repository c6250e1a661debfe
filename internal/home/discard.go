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

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/rules"
)

// Discard is the one way out of a sandbox, whose lock the caller holds exclusively. Entries that wait are shared first; then all entries of
// the sandbox, listed from its directories, are kept and named, except links at their own names, the entries that the table makes private,
// and the transcripts that the user agreed to lose. Where that fails, the account stays.
func (h Homes) Discard(a account.Account, agreed []string) error {
	if err := store.FinishConfinement(h.Store, a, h.Say); err != nil {
		return err
	}
	if _, err := h.Store.Account(a.Key); err == nil { // else its homes are incomplete, and all that is left is kept
		_ = h.Reconcile(a, Options{Idle: AtRest}) // what it could not share is kept
	}
	var names []string
	shared := [][]string{append([]string{h.Root.SharedHome.Path}, h.Root.Former...), {h.Store.Home, a.Meta.RealHome}}
	codex, home := rules.Views(h.Store.Layout, a, config.Private{}) // what the user's patterns make private is kept, too
	for i, v := range []rules.View{codex, home} {
		kept, err := h.keepOwn(a, agreed, v, shared[i])
		if names = append(names, kept...); err != nil {
			return err
		}
	}
	if len(names) > 0 {
		h.Say(fmt.Sprintf("kept what only account %q had: %s; see: codex swop history", a.Meta.Label, strings.Join(names, ", ")))
	}
	return h.Store.Delete(a, h.Root.SharedHome.Path)
}

// keepOwn moves to kept/ what would be lost with one of the two directories of a sandbox. It returns the names, quoted.
func (h Homes) keepOwn(a account.Account, agreed []string, v rules.View, shared []string) (names []string, err error) {
	own, err := disk.OpenBelow(h.Store.AccountDir(a.Key), v.Sandbox)
	if err != nil {
		return nil, disk.Ignore(err, fs.ErrNotExist, sys.ENOTDIR, sys.ELOOP)
	}
	defer own.Close()
	_ = disk.CloseDir(v.Sandbox) // a session may have made it read-only
	entries, err := own.Entries()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		mine, err := own.Stat(name)
		target, err2 := own.Readlink(name)
		if err := errors.Join(err, err2); err != nil {
			return names, err
		}
		same := func(dir string) bool {
			at := filepath.Join(dir, name)
			return target != "" && target == at || mine.IsRegular() && mine.Same(disk.At(at))
		}
		row, named := v.Rules.Row(name)
		private := v.Name == rules.CodexView && named && row.Class == rules.Private && name != ".git" // a repository is kept
		if !mine.Exists() ||                                                                          // it went with its database
			private && (!row.Transcript || slices.Contains(agreed, name)) ||
			v.Name == rules.HomeView && name == ".codex" && mine.IsDir() ||
			slices.ContainsFunc(shared, same) || mine.IsDir() && own.Rmdir(name) == nil ||
			a.Meta.Confine != "" && !store.HoldsText(filepath.Join(own.Path, name)) { // something was mounted there
			continue
		}
		below, key := when(v.Name == rules.CodexView, keptCodex), a.Key+when(a.Meta.Confine != "", ownEnd)
		err = inKept(h.Store.Root, below, key, func(files disk.Dir) error { return moveWithLogs(own, name, files) })
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
