//go:build unix

package mirror

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/disk"
	"swop/home/history"
	"swop/home/journal"
)

// Somebody's link that is moved to the shared directory, by itself or in a directory, must lead to the same thing from there. An absolute one
// that leads into the sandbox, which may be removed, leads to what the sandbox shows there instead.

// retarget changes the links in a directory that is to be adopted.
func (h *home) retarget(d disk.Dir, name string) error {
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
func (h *home) retargetLink(d disk.Dir, name string) error {
	target, err := d.Readlink(name)
	if err != nil {
		return err
	}
	if target == "" {
		return nil
	}
	outer := h.outsideFrom(d.Path, target)
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

// leadsInside reports whether a link at the top of the sandbox leads by its words to an entry of a home, and not to the shared one.
func (h *home) leadsInside(target string) bool {
	leads := absolute(h.sandbox.Path, target)
	return h.outside(leads) != leads
}

// absolute returns the path to which a link in dir leads, by its words.
func absolute(dir, target string) string {
	if target[0] == '/' {
		return target
	}
	return filepath.Join(dir, target)
}

// outsideFrom returns where a link in dir, a directory of the sandbox, leads from outside: the path as it is if it leads to the same from the
// place to which dir is moved; or if it leads to nothing in swop's own directories, as ../x of HOME does, which its program meant for that place.
func (h *home) outsideFrom(dir, target string) string {
	if target == "" || target[0] == '/' {
		return h.outside(target)
	}
	leads := filepath.Join(dir, target)
	if _, err := os.Lstat(dir + "/" + target); errors.Is(err, fs.ErrNotExist) && h.outside(leads) == leads && config.Within(leads, h.Layout.Root) {
		return target
	}
	if rest, ok := strings.CutPrefix(dir, h.sandbox.Path); ok && filepath.Join(h.shared.Path+rest, target) == h.outside(leads) {
		return target
	}
	return h.outside(leads)
}

// movedTarget returns where a link at the top of the sandbox, moved to the top of the shared directory, has to lead.
func (h *home) movedTarget(target string) string {
	moved := h.toShared(target)
	dir, base := splitPath(moved)
	if to, ok := h.renamed[base]; ok && (dir == "" || dir == h.shared.Path) && !h.leadsInside(target) { // ln -sr resolved a link of ours
		if there, err := h.shared.Stat(base); err == nil && !there.Exists() {
			return strings.TrimSuffix(moved, base) + to
		}
	}
	return moved
}

func (h *home) toShared(target string) string {
	outer := h.outsideFrom(h.sandbox.Path, target)
	if outer == target || target[0] == '/' {
		return outer
	}
	// A relative one stays relative. The kernel goes up from where the directory really is.
	rest, from := target, disk.Resolve(h.sandbox.Path)
	for strings.HasPrefix(rest, "../") {
		rest, from = strings.TrimLeft(rest[3:], "/"), filepath.Dir(from)
	}
	rel, err := filepath.Rel(disk.Resolve(h.shared.Path), h.outside(filepath.Join(from, rest)))
	if err != nil || config.Within(filepath.Join(from, rest), disk.Resolve(h.sandbox.Path)) {
		return outer
	}
	return rel
}

// outside returns the path outside of the session that leads where target leads in it.
func (h *home) outside(target string) string {
	target = h.byName(target)
	for _, m := range h.views {
		if rest, ok := below(target, m.Sandbox); ok {
			return m.shared + rest
		}
	}
	return target
}

// byName returns a path into the sandbox without links, as pwd -P has it, by the sandbox's name, and any other as it is.
func (h *home) byName(path string) string {
	for _, m := range h.views {
		if rest, ok := below(path, m.resolved); ok {
			return m.Sandbox + rest
		}
	}
	return path
}

// below returns what path has after dir.
func below(path, dir string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, dir)
	return rest, ok && (rest == "" || rest[0] == '/')
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
