//go:build unix

package mirror

import (
	"errors"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/home/history"
	"swop/home/journal"
	"swop/home/rules"
)

// addLink links an entry that the sandbox lacks, unless the shared one is gone by now.
func (h *home) addLink(name string) error {
	if h.class(name) != rules.LinkAhead {
		if there, err := h.shared.Stat(name); err != nil || !there.Exists() {
			return err
		}
	}
	if err := h.sandbox.Symlink(h.view.Target(name), name); err != nil {
		return err
	}
	return h.noteLink(name)
}

// noteLink notes the link at name, if it is the one that belongs there, with the shared entry as it is.
func (h *home) noteLink(name string) error {
	i, err := h.sandbox.Stat(name)
	if err != nil || !h.isOurLink(name, i) {
		return err
	}
	there, err := h.shared.Stat(name)
	h.now.Link(name, h.next.SeenSum(there))
	return err
}

// repairLink removes or replaces a link of ours that is not as it should be. What is not our link any more is left to the next scan.
func (h *home) repairLink(name string) error {
	target, err := h.sandbox.Readlink(name)
	if err != nil || h.view.Entry(target) == "" {
		return err
	}
	there, err := h.shared.Stat(name)
	if err != nil {
		return err
	}
	wanted := h.class(name).Linked() && (there.Exists() || h.class(name) == rules.LinkAhead)
	if wanted && target == h.view.Target(name) {
		return h.noteLink(name)
	}
	return h.move(name, history.Replaced, func(m *move) error {
		same := func(disk.Stat) bool { return m.HasTaken(target) }
		if wanted {
			return m.takeOut(same)
		}
		return m.TakeAway(m.sandbox, same)
	})
}

// A link of ours at another name than its entry's is one that a program renamed, copied or moved. At rest it is read in one of three ways.
// Renamed: what vanished from the home and what appeared are the same entries, so the shared ones are renamed likewise. Copied: the link of
// that name stands, so the other becomes a file of its own with the same contents. Anything else: each shared entry stays under its name. The
// missing link is added then, and the other is a copied one at the next look.

// linkReader reads the links that a scan found elsewhere.
type linkReader struct{ *home }

// readLinks reads the links that the scan found elsewhere, once: those that lead to nothing go, those that were renamed rename the shared entries, and
// those that were copied become files. What was renamed needs another scan, before the others are read.
func (h linkReader) readLinks() error {
	if h.linksRead {
		return nil
	}
	h.linksRead, h.unread = true, true
	if err := h.dropDangling(); err != nil {
		return err
	}
	rest, err := h.idle()
	if err != nil {
		return err
	}
	rest = rest && !h.blind // else a link that was not seen would count as a missing one
	var waiting []string
	if rest {
		renames, err := h.renames()
		if err != nil {
			return err
		}
		renamed := false
		if renamed, waiting = h.renameGroups(renames); renamed {
			return nil
		}
	}
	h.unread = len(waiting) > 0
	for name, entry := range h.elsewhere {
		if slices.Contains(waiting, name) {
			continue
		}
		if err := h.wait(finding{movedLink, name}, h.readCopied(name, entry, rest)); err != nil {
			return err
		}
	}
	return nil
}

// readCopied copies what the link at name leads to, if the first link of that entry stands; or if the name is private, which never leads into the
// shared home.
func (h linkReader) readCopied(name, entry string, rest bool) error {
	first, err := h.sandbox.Stat(entry)
	if err != nil || !(rest && first.Exists()) && h.class(name).Shared() {
		return err
	}
	return h.copyLinked(name, entry)
}

// dropDangling removes those that lead to nothing: they stand for no entry.
func (h linkReader) dropDangling() error {
	for name, entry := range h.elsewhere {
		there, err := h.shared.Stat(entry)
		if err == nil && !there.Exists() {
			delete(h.elsewhere, name)
			err = h.dropLink(name, entry)
		}
		if err := h.wait(finding{movedLink, name}, err); err != nil {
			return err
		}
	}
	return nil
}

// dropLink removes the link at name that leads to the shared entry called entry.
func (h linkReader) dropLink(name, entry string) error {
	target, err := h.sandbox.Readlink(name)
	if err != nil || h.view.Entry(target) != entry {
		return err // no more
	}
	if there, err := h.shared.Stat(name); err != nil || !there.Exists() {
		return errors.Join(err, h.repairLink(name))
	}
	h.again = true // whether the link of that name was renamed is still to be read
	return h.move(name, history.Replaced, func(m *move) error {
		return m.TakeAway(m.sandbox, func(disk.Stat) bool { return m.HasTaken(target) })
	})
}

// standsElsewhere reports whether a link at another name stands for the shared version of an entry. That is not replaced until the link is read.
func (h *home) standsElsewhere(name string) (bool, error) {
	for other, entry := range h.elsewhere {
		if entry != name {
			continue
		}
		target, err := h.sandbox.Readlink(other)
		if err != nil || h.view.Entry(target) == name {
			return true, err
		}
	}
	return false, nil
}

// copyLinked turns the link at name, which leads to the shared entry called entry, into a file of its own with the same contents. That of a
// directory, or of links in a circle, stays a link, as somebody's own, unless the name is private; so does that of a file which may not be read.
// One that leads to nothing goes.
func (h linkReader) copyLinked(name, entry string) error {
	target, err := h.sandbox.Readlink(name)
	if err != nil || h.view.Entry(target) != entry {
		return err // no more
	}
	own, err := h.sandbox.Stat(name)
	if err != nil {
		return err
	}
	there, err := h.shared.Stat(entry)
	if err != nil {
		return err
	}
	_, err = os.Stat(target)
	copied := (there.IsRegular() || there.IsLink()) && !errors.Is(err, unix.ELOOP)
	unreadable := there.IsRegular() && unix.Faccessat(h.shared.Fd(), entry, unix.R_OK, unix.AT_EACCESS) != nil
	switch {
	case !there.Exists(), !h.class(name).Shared() && (!copied || unreadable):
		return h.repairLink(name)
	case unreadable:
		delete(h.elsewhere, name) // it stands for nothing else
		return nil
	}
	h.again = true
	if !copied {
		return folding(h).foldEntry(name, own)
	}
	return h.move(name, history.Replaced, func(m *move) error {
		if err := disk.CopyEntry(h.shared, entry, there, m.Dir, journal.PartFile); err != nil {
			return disk.Changed(err)
		}
		return m.Replace(h.sandbox, name, target)
	})
}
