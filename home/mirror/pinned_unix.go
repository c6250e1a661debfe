//go:build unix

package mirror

import (
	"io/fs"

	"swop/disk"
)

// pin finds the entries that the sandbox keeps to itself against the rules, and pins those that the rules make private now.
func (h scanner) pin() {
	defer h.pins.SetPatterns(h.view.Name, h.rules.Private)
	for name, entry := range h.inSandbox {
		shown, err := h.showsShared(name, entry)
		if err != nil { // what is not known to be shared stays as it is, until the next start looks again
			h.pinned[name], h.blind, h.draft.settled = true, true, false
			continue
		}
		row, _ := h.rules.Row(name)
		switch {
		case shown:
			h.pins.Unpin(h.view.Name, name)
		case entry.Mode&fs.ModeSymlink != 0:
		case h.pins.Settle(h.view.Name, name, row):
			h.pinned[name] = true
		}
	}
}

// showsShared reports whether an entry is the shared one, by our link or as a hard link. Then the account has none of its own any more, and
// the entry is no longer pinned.
func (h scanner) showsShared(name string, entry disk.Entry) (bool, error) {
	if entry.Mode&fs.ModeSymlink == 0 {
		return h.isPaired(name)
	}
	if !h.pins.Has(h.view.Name, name) || !h.rules.Class(name).Linked() {
		return false, nil
	}
	target, err := h.sandbox.Readlink(name)
	return target == h.view.Target(name), err
}
