package home

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/home/rules"
)

// What was private under an earlier table or an earlier config.toml is pinned: it stays private until it is shared by name, so that a rule
// that goes does not bring one account's file to all others.

// pins are what an account keeps to itself: by view the names, quoted since they need not be UTF-8, and by [patternsOf] a view the patterns
// that were in force at the last scan.
type pins map[string][]string

func patternsOf(view string) string { return view + " private" }

func pinnedFile(a account.Account) string { return filepath.Join(a.Dir, "pinned") }

// readPins reads the account's file. It has none where that is missing.
func readPins(a account.Account) (n pins, err error) {
	n = pins{}
	text, err := disk.ReadOwn(pinnedFile(a), rules.MaxNames)
	if err == nil {
		err = json.Unmarshal([]byte(text), &n)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", pinnedFile(a), err)
	}
	return n, disk.Ignore(err, fs.ErrNotExist)
}

// write replaces the account's file, if it says something else, and reports whether it did. It is synced: to lose it would share what was
// private. The next start looks again.
func (n pins) write(a account.Account) (changed bool, err error) {
	maps.DeleteFunc(n, func(_ string, names []string) bool { return len(names) == 0 })
	text, err := json.Marshal(n)
	if was, _ := disk.ReadOwn(pinnedFile(a), rules.MaxNames); err != nil || string(text) == cmp.Or(was, "{}") {
		return false, err
	}
	return true, errors.Join(disk.WriteFile(pinnedFile(a), text), disk.RemoveIfExists(rules.StampFile(&a)))
}

// has reports whether the entry is pinned.
func (n pins) has(view, name string) bool { return slices.Contains(n[view], strconv.Quote(name)) }

// note pins what the sandbox has to itself: what its row makes private, and what a pattern of the last scan did: what was made under that
// is the account's own, although no scan saw it before the pattern went. A pinned name that is not there now, as between two steps of a
// save, stays pinned.
func (n pins) note(v rules.View, own map[string]fs.FileMode) {
	for name, mode := range own {
		var row rules.Rule // nobody asks which one a link has
		if mode&fs.ModeSymlink == 0 {
			row, _ = v.Rules.Row(name)
		}
		switch shared := row.Class.Shared(); {
		case mode&fs.ModeSymlink != 0, shared && rules.MatchesAny(v.Rules.Shared, name):
			n.unpin(v.Name, name)
		case shared && rules.MatchesAny(n[patternsOf(v.Name)], name), row.Class == rules.Private:
			n[v.Name] = append(n[v.Name], strconv.Quote(name))
		}
	}
	slices.Sort(n[v.Name])
	n[v.Name] = slices.Compact(n[v.Name])
	n[patternsOf(v.Name)] = slices.Sorted(slices.Values(v.Rules.Private))
}

func (n pins) unpin(view, name string) {
	n[view] = slices.DeleteFunc(n[view], func(pinned string) bool { return pinned == strconv.Quote(name) })
}

// Share unpins an entry that the account keeps to itself although the rules would share it by now: the next reconcile brings it to the
// shared home. It reports whether an entry of that name was pinned. It is an error if a rule still makes the name private.
func Share(l account.Layout, a account.Account, name string, settings config.Settings) (shared bool, err error) {
	n, err := readPins(a)
	if err != nil {
		return false, err
	}
	_, private := settings.For(a.Key)
	codex, home := rules.Views(l, a, private)
	never := false
	for _, v := range []rules.View{codex, home} {
		if v.Rules.Class(name) == rules.Private {
			never = never || n.has(v.Name, name) || rules.MatchesAny(n[patternsOf(v.Name)], name)
		} else {
			n.unpin(v.Name, name)
		}
	}
	if shared, err = n.write(a); never && !shared && err == nil {
		err = disk.Unsafe("%q of %q is never shared", name, a.Meta.Label)
	}
	return shared, err
}
