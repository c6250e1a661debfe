// What was private under an earlier table or an earlier config.toml is pinned: it stays private
// until it is shared by name, so that a rule that goes does not bring one account's file to all others.
package home

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/home/rules"
)

// pins are the lines of the file of pinned names in a sandbox: each a view and a quoted name, or a pattern that was in force at the last
// scan.
type pins struct {
	lines map[string]bool
	was   string // the text of the file
}

// readPins reads the account's pinned names. It has none where the file is missing.
func readPins(a account.Account) (*pins, error) {
	text, err := disk.ReadOwn(pinnedFile(a), rules.MaxNames)
	n := &pins{lines: map[string]bool{}, was: text}
	for line := range strings.Lines(text) {
		n.lines[line] = true
	}
	return n, disk.Ignore(err, fs.ErrNotExist)
}

func (n *pins) text() string { return strings.Join(slices.Sorted(maps.Keys(n.lines)), "") }

// changed reports whether the file says something else.
func (n *pins) changed() bool { return n.text() != n.was }

func pinnedFile(a account.Account) string { return filepath.Join(a.Dir, "pinned") }

// write replaces the account's file. It is synced: to lose it would share what was private. The next start looks again.
func (n *pins) write(a account.Account) error {
	n.was = n.text()
	err := disk.WriteFile(pinnedFile(a), []byte(n.was))
	return errors.Join(err, disk.RemoveIfExists(rules.StampFile(&a)))
}

func nameLine(view, name string) string { return view + " " + strconv.Quote(name) + "\n" }

func patternStart(view string) string { return view + " private " }

// has reports whether the entry is pinned.
func (n *pins) has(view, name string) bool { return n.lines[nameLine(view, name)] }

// note notes what the sandbox keeps to itself of what is in it, and the user's patterns that are in force now: a name that its row makes
// private, or a pattern of the last scan's did, is pinned.
func (n *pins) note(v rules.View, own map[string]fs.FileMode) {
	for name, mode := range own {
		row, _ := v.Rules.Row(name)
		shared := row.Class.Shared()
		switch {
		case mode&fs.ModeSymlink != 0, v.Rules.IsShared(name) && shared:
			n.unpin(v.Name, name)
		case shared && n.madePrivate(v.Name, name), row.Class == rules.Private && !row.Transient:
			n.lines[nameLine(v.Name, name)] = true
		}
	}
	maps.DeleteFunc(n.lines, func(line string, _ bool) bool { return strings.HasPrefix(line, patternStart(v.Name)) })
	for _, pattern := range v.Rules.Private {
		n.lines[patternStart(v.Name)+strconv.Quote(pattern)+"\n"] = true
	}
}

// unpin lets the rules decide about the entry again.
func (n *pins) unpin(view, name string) { delete(n.lines, nameLine(view, name)) }

// madePrivate reports whether a pattern of the user's that was in force at the last scan made the entry private: what was made under the
// pattern is the account's own, although no scan saw it before the pattern went.
func (n *pins) madePrivate(view, name string) bool {
	for line := range n.lines {
		if quoted, ok := strings.CutPrefix(line, patternStart(view)); ok {
			if pattern, err := strconv.Unquote(strings.TrimSuffix(quoted, "\n")); err == nil && rules.Matches(pattern, name) {
				return true
			}
		}
	}
	return false
}
