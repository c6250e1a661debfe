// Package pinned says what an account keeps to itself. What was private under an earlier table or an earlier config.toml is pinned: it stays private
// until it is shared by name, so that a rule that goes does not bring one account's file to all others.
package pinned

import (
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"swop/account"
	"swop/disk"
	"swop/home/rules"
)

// Names are the lines of the file of pinned names in a sandbox: each a view and a quoted name, or a pattern that was in force at the last scan.
type Names struct {
	lines   map[string]bool
	Changed bool // since they were read or written
}

// Read reads the account's pinned names. It has none where the file is missing.
func Read(a account.Account) (*Names, error) {
	text, err := disk.ReadOwn(rules.PinnedFile(a.Dir), rules.MaxBaseline)
	n := &Names{lines: map[string]bool{}}
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' }) {
		n.lines[line] = true
	}
	return n, disk.Ignore(err, fs.ErrNotExist)
}

// Write replaces the account's file. It is synced: to lose it would share what was private.
func (n *Names) Write(a account.Account) error {
	n.Changed = false
	var text []byte
	for _, line := range slices.Sorted(maps.Keys(n.lines)) {
		text = append(text, line+"\n"...)
	}
	return disk.WriteFile(rules.PinnedFile(a.Dir), text)
}

func nameLine(view, name string) string { return view + " " + strconv.Quote(name) }

func patternStart(view string) string { return view + " private " }

// Has reports whether the entry is pinned.
func (n *Names) Has(view, name string) bool { return n.lines[nameLine(view, name)] }

// Pin pins the entry.
func (n *Names) Pin(view, name string) { n.add(nameLine(view, name)) }

// Settle pins an entry of the account's own that its row makes private, and one that was private before. It reports whether the account keeps the
// entry to itself although the row would share it.
func (n *Names) Settle(view, name string, row rules.Rule) bool {
	against := row.Class.Shared() && (n.Has(view, name) || n.MadePrivate(view, name))
	if against || row.Class == rules.Private && !row.Transient {
		n.Pin(view, name)
	}
	return against
}

// Unpin lets the rules decide about the entry again.
func (n *Names) Unpin(view, name string) { n.drop(nameLine(view, name)) }

func (n *Names) add(line string) {
	n.Changed = n.Changed || !n.lines[line]
	n.lines[line] = true
}

func (n *Names) drop(line string) {
	n.Changed = n.Changed || n.lines[line]
	delete(n.lines, line)
}

// MadePrivate reports whether a pattern of the user's that was in force at the last scan made the entry private: what was made under the pattern is
// the account's own, although no scan saw it before the pattern went.
func (n *Names) MadePrivate(view, name string) bool {
	for line := range n.lines {
		if quoted, ok := strings.CutPrefix(line, patternStart(view)); ok {
			if pattern, err := strconv.Unquote(quoted); err == nil && rules.Matches(pattern, name) {
				return true
			}
		}
	}
	return false
}

// SetPatterns records the user's patterns that are in force now, instead of those of the last scan.
func (n *Names) SetPatterns(view string, patterns []string) {
	var now []string
	for _, pattern := range patterns {
		line := patternStart(view) + strconv.Quote(pattern)
		now = append(now, line)
		n.add(line)
	}
	for line := range n.lines {
		if strings.HasPrefix(line, patternStart(view)) && !slices.Contains(now, line) {
			n.drop(line)
		}
	}
}
