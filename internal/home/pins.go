package home

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/home/rules"
)

// Entries that were private under an earlier table or an earlier config.toml are pinned: they stay private until config.toml shares them,
// so that the end of a rule does not bring one account's file to all others.

// pins are what an account keeps to itself: by view the names, quoted since they need not be UTF-8, and by [patternsOf] a view the patterns
// that were in force at the last scan.
type pins map[string][]string

func patternsOf(view string) string { return view + " private" }

func pinnedFile(a account.Account) string { return filepath.Join(a.Dir, "pinned") }

// readPins reads the account's file; without one there are no pins.
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

// write replaces the account's file, if it says something else. It is synced: to lose it would share what was private.
func (n pins) write(a account.Account) error {
	maps.DeleteFunc(n, func(_ string, names []string) bool { return len(names) == 0 })
	text, err := json.Marshal(n)
	if was, _ := disk.ReadOwn(pinnedFile(a), rules.MaxNames); err != nil || string(text) == cmp.Or(was, "{}") {
		return err
	}
	return disk.WriteFile(pinnedFile(a), text)
}

// has reports whether the entry is pinned.
func (n pins) has(view, name string) bool { return slices.Contains(n[view], strconv.Quote(name)) }

// pin pins what the sandbox has to itself: what its row makes private, and what a pattern of the last scan did: what was made or moved
// there under that is the account's own, although no scan saw it before the pattern went. A link of ours at its own name is not. A pinned
// name that is not there now, as between two steps of a save, stays pinned.
func (v *view) pin(own map[string]fs.FileMode) {
	n, before := v.pins, v.pins[patternsOf(v.Name)]
	patterns := slices.Concat(before, v.Rules.Private, v.Rules.Shared)
	for name, mode := range own {
		if mode&fs.ModeSymlink != 0 && !rules.MatchesAny(patterns, name) {
			continue // nearly all: nobody asks which row a link has
		}
		row, _ := v.Rules.Row(name)
		target, _ := v.own.Readlink(name)
		switch shared := row.Class.Shared(); {
		case shared && rules.MatchesAny(v.Rules.Shared, name):
			n[v.Name] = slices.DeleteFunc(n[v.Name], func(pinned string) bool { return pinned == strconv.Quote(name) })
		case v.leadsTo(target) != name && (row.Class == rules.Private || shared && rules.MatchesAny(before, name)):
			n[v.Name] = append(n[v.Name], strconv.Quote(name))
		}
	}
	slices.Sort(n[v.Name])
	n[v.Name] = slices.Compact(n[v.Name])
	n[patternsOf(v.Name)] = slices.Sorted(slices.Values(v.Rules.Private))
}
