package home

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/home/rules"
)

// What was private under an earlier table or an earlier config.toml is pinned: it stays private until it is shared by name, so that a rule
// that goes does not bring one account's file to all others.

// pins are what an account keeps to itself, by view: names, and the patterns that were in force at the last scan.
type pins struct {
	names, patterns map[string][]string
	was             string // the text of the file
}

// patternMark is before a pattern in the file.
const patternMark = "private "

// readPins reads the account's pinned names. It has none where the file is missing.
func readPins(a account.Account) (*pins, error) {
	text, err := disk.ReadOwn(pinnedFile(a), rules.MaxNames)
	n := &pins{map[string][]string{}, map[string][]string{}, text}
	for line := range strings.Lines(text) {
		view, quoted, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		quoted, isPattern := strings.CutPrefix(quoted, patternMark)
		switch name, err := strconv.Unquote(quoted); {
		case err != nil:
		case isPattern:
			n.patterns[view] = append(n.patterns[view], name)
		default:
			n.names[view] = append(n.names[view], name)
		}
	}
	return n, disk.Ignore(err, fs.ErrNotExist)
}

func pinnedFile(a account.Account) string { return filepath.Join(a.Dir, "pinned") }

// write replaces the account's file, if it says something else, and reports whether it did. It is synced: to lose it would share what was
// private. The next start looks again.
func (n *pins) write(a account.Account) (changed bool, err error) {
	var text strings.Builder
	for _, view := range []string{rules.CodexView, rules.HomeView} {
		for _, name := range n.names[view] {
			fmt.Fprintf(&text, "%s %q\n", view, name)
		}
		for _, pattern := range n.patterns[view] {
			fmt.Fprintf(&text, "%s %s%q\n", view, patternMark, pattern)
		}
	}
	if text.String() == n.was {
		return false, nil
	}
	return true, errors.Join(disk.WriteFile(pinnedFile(a), []byte(text.String())), disk.RemoveIfExists(rules.StampFile(&a)))
}

// has reports whether the entry is pinned.
func (n *pins) has(view, name string) bool { return slices.Contains(n.names[view], name) }

// note pins what the sandbox has to itself: what its row makes private, and what a pattern of the last scan did: what was made under that
// is the account's own, although no scan saw it before the pattern went. A pinned name that is not there now, as between two steps of a
// save, stays pinned.
func (n *pins) note(v rules.View, own map[string]fs.FileMode) {
	names := n.names[v.Name]
	for name, mode := range own {
		row, _ := v.Rules.Row(name)
		switch shared := row.Class.Shared(); {
		case mode&fs.ModeSymlink != 0, shared && v.Rules.IsShared(name):
			names = slices.DeleteFunc(names, func(pinned string) bool { return pinned == name })
		case shared && n.matches(v.Name, name), row.Class == rules.Private && !row.Transient:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	n.names[v.Name] = slices.Compact(names)
	n.patterns[v.Name] = slices.Sorted(slices.Values(v.Rules.Private))
}

func (n *pins) matches(view, name string) bool {
	return slices.ContainsFunc(n.patterns[view], func(pattern string) bool { return rules.Matches(pattern, name) })
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
			never = never || n.has(v.Name, name) || n.matches(v.Name, name)
		} else {
			n.names[v.Name] = slices.DeleteFunc(n.names[v.Name], func(pinned string) bool { return pinned == name })
		}
	}
	if shared, err = n.write(a); never && !shared && err == nil {
		err = disk.Unsafe("%q of %q is never shared", name, a.Meta.Label)
	}
	return shared, err
}
