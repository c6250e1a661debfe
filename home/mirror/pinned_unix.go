//go:build unix

package mirror

import (
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"swop/account"
	"swop/account/store"
	"swop/config"
	"swop/disk"
	"swop/home/rules"
)

// readPinned returns the recorded lines, each a view and a name.
func readPinned(a account.Account) (map[string]bool, error) {
	text, err := disk.ReadOwn(rules.PinnedFile(a.Dir), rules.MaxBaseline)
	pinned := map[string]bool{}
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' }) {
		pinned[line] = true
	}
	return pinned, disk.Ignore(err, fs.ErrNotExist)
}

// writePinned records the lines.
func writePinned(a account.Account, pinned map[string]bool) error {
	var text []byte
	for _, line := range slices.Sorted(maps.Keys(pinned)) {
		text = append(text, line+"\n"...)
	}
	return disk.WriteFile(rules.PinnedFile(a.Dir), text)
}

// pinnedLine is the line for a pinned entry.
func pinnedLine(view, name string) string { return view + " " + strconv.Quote(name) }

// patternLine is the line for one of the user's private patterns that was in force at the last scan. What was made under the pattern is the
// account's own, although no scan saw it before the pattern went.
func patternLine(view, pattern string) string { return view + " private " + strconv.Quote(pattern) }

// wasPrivate reports whether a pattern that was in force at the last scan made the entry private.
func (h *home) wasPrivate(name string) bool {
	prefix := h.view + " private "
	for line := range h.recorded {
		if quoted, ok := strings.CutPrefix(line, prefix); ok {
			if pattern, err := strconv.Unquote(quoted); err == nil && rules.Matches(pattern, name) {
				return true
			}
		}
	}
	return false
}

// notePatterns records the patterns that are in force now, instead of those of the last scan.
func (h *home) notePatterns() {
	var now []string
	for _, pattern := range h.rules.Private {
		now = append(now, patternLine(h.view, pattern))
		h.record(patternLine(h.view, pattern))
	}
	for line := range h.recorded {
		if strings.HasPrefix(line, h.view+" private ") && !slices.Contains(now, line) {
			delete(h.recorded, line)
			h.pinsChanged = true
		}
	}
}

// record adds a line to the file of pinned entries.
func (h *home) record(line string) {
	h.pinsChanged = h.pinsChanged || !h.recorded[line]
	h.recorded[line] = true
}

// pin finds the entries that the sandbox keeps to itself against the rules, and records those that the rules make private now.
func (h *home) pin(sandbox map[string]disk.Entry) {
	defer h.notePatterns()
	h.pinned = map[string]bool{}
	for name, entry := range sandbox {
		line := pinnedLine(h.view, name)
		shown, err := h.showsShared(name, entry, line)
		if h.pinned[name] = err != nil; err != nil {
			h.blind, h.fastPath = true, false // what is not known to be shared stays as it is, until the next start looks again
			continue
		}
		if shown {
			h.pinsChanged = h.pinsChanged || h.recorded[line]
			delete(h.recorded, line)
			continue
		}
		if entry.Mode&fs.ModeSymlink != 0 {
			continue
		}
		switch row, _ := h.rules.Row(name); {
		case row.Class == rules.Private && !row.Transient:
			h.record(line)
		case row.Class.Shared() && (h.recorded[line] || h.wasPrivate(name)):
			h.record(line)
			h.pinned[name] = true
		}
	}
}

// showsShared reports whether an entry is the shared one, by our link or as a hard link. Then the account has none of its own any more, and
// the entry is no longer pinned.
func (h *home) showsShared(name string, entry disk.Entry, line string) (bool, error) {
	if entry.Mode&fs.ModeSymlink == 0 {
		return h.isPaired(name)
	}
	if !h.recorded[line] || !h.rules.Class(name).Linked() {
		return false, nil
	}
	target, err := h.sandbox.Readlink(name)
	return target == h.target(name), err
}

// Share unpins an entry that the account keeps to itself although the rules would share it by now: the next reconcile brings it to the
// shared home. It reports whether an entry of that name was pinned. It is an error if a rule still makes the name private.
func Share(s store.Store, a account.Account, name string, settings config.Settings) (bool, error) {
	recorded, err := readPinned(a)
	if err != nil {
		return false, err
	}
	_, private := settings.For(a.Key)
	codex, home := viewsOf(s.Layout, a, private)
	found, still := false, false
	for _, v := range []view{codex, home} {
		line := pinnedLine(v.name, name)
		switch {
		case !recorded[line]:
		case v.rules.Class(name) == rules.Private:
			still = true
		default:
			found = true
			delete(recorded, line)
		}
	}
	switch {
	case !found && still:
		return false, disk.Unsafe("%q of %q is private by the rules", name, a.Meta.Label)
	case !found:
		return false, nil
	}
	return true, writePinned(a, recorded)
}
