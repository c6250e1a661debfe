//go:build unix

package mirror

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/home/history"
	"swop/home/journal"
	"swop/home/links"
)

// Somebody's link that is moved to the shared directory, by itself or in a directory, must lead to the same thing from there. An absolute one
// that leads into the sandbox, which may be removed, leads to what the sandbox shows there instead.

// retarget changes the links in a directory that is to be adopted.
func (h folding) retarget(d disk.Dir, name string) error {
	sub, entries, err := listDir(d, name)
	if err != nil {
		return err
	}
	defer sub.Close()
	for _, child := range slices.Sorted(maps.Keys(entries)) {
		switch entry := entries[child]; {
		case entry.Mode.IsDir():
			err = disk.Ignore(h.retarget(sub, child), disk.ErrChanged)
		case entry.Mode&fs.ModeSymlink != 0:
			err = h.retargetLink(sub, child)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// listDir opens a directory and returns its entries. The error is [disk.ErrChanged] if it is none any more.
func listDir(d disk.Dir, name string) (disk.Dir, map[string]disk.Entry, error) {
	sub, err := d.OpenDir(name)
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		err = disk.ErrChanged
	}
	if err != nil {
		return sub, nil, disk.Changed(err)
	}
	entries, err := sub.Entries()
	if err != nil {
		err = errors.Join(disk.Changed(err), sub.Close())
	}
	return sub, entries, err
}

// retargetLink does what retarget does, for one link below the top of the home.
func (h folding) retargetLink(d disk.Dir, name string) error {
	target, err := d.Readlink(name)
	if err != nil {
		return err
	}
	if target == "" {
		return nil
	}
	outer := h.links.From(h.view, d.Path, target)
	if outer == target {
		return nil
	}
	return h.move(strings.TrimPrefix(d.Path+"/"+name, h.sandbox.Path+"/"), history.Replaced, func(m *move) error {
		if err := unix.Symlinkat(outer, m.Dir.Fd(), journal.PartFile); err != nil {
			return m.Dir.Err("symlink", journal.PartFile, err)
		}
		return disk.Ignore(m.Replace(d, name, target), disk.ErrChanged)
	})
}

// movedTarget returns where a link at the top of the sandbox, moved to the top of the shared directory, has to lead.
func (h *home) movedTarget(target string) string {
	moved := h.links.Moved(h.view, target)
	dir, base := links.Split(moved)
	if to, ok := h.renamed[base]; ok && (dir == "" || dir == h.shared.Path) && !h.links.LeadsInside(h.view, target) { // ln -sr resolved a link of ours
		if there, err := h.shared.Stat(base); err == nil && !there.Exists() {
			return strings.TrimSuffix(moved, base) + to
		}
	}
	return moved
}

// retargetTaken changes the link that was taken out, so that it leads to the same from the shared directory, and notes that it is to be shared.
func (m *move) retargetTaken() error {
	target, err := m.Files.Readlink(m.Name)
	if err != nil || target == "" {
		return err
	}
	if moved := m.movedTarget(target); moved != target {
		if err := unix.Symlinkat(moved, m.Dir.Fd(), journal.PartFile); err != nil {
			return m.Dir.Err("symlink", journal.PartFile, err)
		}
		if err := m.Dir.Replace(journal.PartFile, m.Files, m.Name); err != nil {
			return err
		}
	}
	own, err := m.Files.Stat(m.Name)
	if err != nil {
		return err
	}
	return m.ToPlace(own)
}
