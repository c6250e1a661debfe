package confine

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/confine/mount"
	"swop/internal/disk"
)

// layout is what a session sees: a tree of the paths that have a rule. A path without one is as its directory.
//
// Where a directory, but not the root, is read-only and something in it is not to be seen, or is another one than the host's, it is
// composed: a directory of the session's own, into which each entry is mounted that may be seen, at any depth. So nothing is covered there:
// what a program outside adds or replaces later is not there. In the home these directories are the account's own, which it keeps.
type layout struct {
	top  node
	home string // the path of the home, "" where it is the host's
	own  string // the directory that is shown there, below the host's entries

	mounts []mount.Mount // of what mount was called for, in the order in which they are made
}

// node is a path. The zero value says nothing of it.
type node struct {
	rule  mount.Mount // if has
	has   bool
	below map[string]*node
}

// hidden is the rule of a path that is not there: nothing is mounted.
const hidden = mount.Composed

// at returns the node of a path, which is made if it is missing.
func (l *layout) at(path string) *node {
	n := &l.top
	for _, name := range components(path) {
		if n.below[name] == nil {
			if n.below == nil {
				n.below = map[string]*node{}
			}
			n.below[name] = &node{}
		}
		n = n.below[name]
	}
	return n
}

func components(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// add lets target be the host's source, or what the kind says.
func (l *layout) add(k mount.Kind, source, target string) {
	n := l.at(target)
	n.rule, n.has = mount.Mount{Kind: k, Source: source, Target: target}, true
}

// show shows a path of the host in its place.
func (l *layout) show(k mount.Kind, path string) { l.add(k, path, path) }

// hide lets a path not be there, nor anything that had a rule in it.
func (l *layout) hide(path string) {
	*l.at(path) = node{}
	l.add(hidden, "", path)
}

// rule returns the one that decides about a path.
func (l *layout) rule(path string) mount.Mount {
	n, r := &l.top, l.top.rule
	for _, name := range components(path) {
		if n = n.below[name]; n == nil {
			break
		}
		if n.has {
			r = n.rule
		}
	}
	return r
}

// rules returns all rules below a path.
func (n *node) rules() (list []mount.Mount) {
	for _, name := range slices.Sorted(maps.Keys(n.below)) {
		if next := n.below[name]; next.has {
			list = append(list, next.rule)
		}
		list = append(list, n.below[name].rules()...)
	}
	return list
}

// place is what the directory of a path shows at that.
type place struct {
	kind    mount.Kind
	source  string // of the host, "" for nothing
	mounted bool   // it is there: else it is to be mounted
}

// mount finds what is to be mounted for a path and all in it.
func (l *layout) mount(path string) error {
	return l.put(l.at(path), path, place{kind: mount.Empty})
}

// put adds the mounts for a path that has a rule, or in which something has one.
func (l *layout) put(n *node, path string, above place) error {
	here := above
	if n.has {
		here = place{n.rule.Kind, n.rule.Source, false}
		if same := here.kind == mount.Readonly && here.kind == above.kind && here.source == above.source; same {
			here.mounted = above.mounted
		}
	}
	switch {
	case above.mounted && above.source != "" && n.rule.Kind != mount.Link && !disk.At(above.source).Exists():
		return nil // nothing is mounted on, and nothing made at the host
	case here.kind == mount.Readonly && here.source != "" && path != "/" && (n.replaces(here.source) || path == l.home):
		return l.compose(n, path, here, above)
	case here.kind == hidden && above.source != "" && above.mounted: // a cover
		if !disk.At(above.source).IsDir() {
			return nil // it vanished
		}
		l.mounts = append(l.mounts, mount.Mount{Kind: mount.Composed, Target: path})
	case here.kind == hidden && !n.gives():
		return nil
	case here.kind == hidden:
		l.mounts = append(l.mounts, l.directory(path, above))
	case !here.mounted && n.has:
		l.mounts = append(l.mounts, n.rule)
	case !here.mounted && here.source != "":
		l.mounts = append(l.mounts, mount.Mount{Kind: here.kind, Source: here.source, Target: path})
	}
	here.mounted = true
	for _, name := range slices.Sorted(maps.Keys(n.below)) {
		if err := l.put(n.below[name], filepath.Join(path, name), here.in(name)); err != nil {
			return err
		}
	}
	return nil
}

// in returns what the place shows at a name in it.
func (p place) in(name string) place {
	if p.source != "" {
		p.source = filepath.Join(p.source, name)
	}
	return p
}

// directory is a directory of the session's own: part of the one above if that is composed too, and the account's in the home.
func (l *layout) directory(path string, above place) mount.Mount {
	switch {
	case path == l.home:
		return mount.Mount{Kind: mount.Writable, Source: l.own, Target: path}
	case l.home != "" && config.Within(path, l.home), above.kind == hidden || above.kind == mount.Readonly && !above.mounted:
		return mount.Mount{Kind: mount.Directory, Target: path}
	}
	return mount.Mount{Kind: mount.Composed, Target: path}
}

// compose adds a directory of the session's own, and the entries of the host's that may be seen. Links are made again. Sockets, FIFOs and
// devices lead out of the session.
func (l *layout) compose(n *node, path string, here, above place) error {
	l.mounts = append(l.mounts, l.directory(path, above))
	here.mounted = false
	left := maps.Clone(n.below)
	entries, err := os.ReadDir(here.source)
	if err != nil {
		return disk.Ignore(err, fs.ErrNotExist)
	}
	for _, entry := range entries {
		name, at := entry.Name(), filepath.Join(path, entry.Name())
		if next := n.below[name]; next != nil {
			delete(left, name)
			if err := l.put(next, at, here.in(name)); err != nil {
				return err
			}
			continue
		}
		switch from := here.in(name).source; entry.Type() {
		case fs.ModeSymlink:
			if to, err := os.Readlink(from); err == nil { // else it is gone
				l.mounts = append(l.mounts, mount.Mount{Kind: mount.Link, Source: to, Target: at})
			}
		case 0, fs.ModeDir:
			l.mounts = append(l.mounts, mount.Mount{Kind: mount.Readonly, Source: from, Target: at})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) { // what the host does not have
		if err := l.put(left[name], filepath.Join(path, name), place{kind: hidden}); err != nil {
			return err
		}
	}
	return nil
}

// replaces reports whether something in a read-only directory, the host's source, is not what the host has there.
func (n *node) replaces(source string) bool {
	for name, next := range n.below {
		if next.differs(filepath.Join(source, name)) {
			return true
		}
	}
	return false
}

// differs reports that for a path. What is covered by a device that is none, as a socket is, stays where it is.
func (n *node) differs(source string) bool {
	if n.has && n.rule.Source == os.DevNull && n.rule.Kind == mount.Readonly {
		return false
	}
	return n.has && n.rule.Source != source || (!n.has || n.rule.Kind == mount.Readonly) && n.replaces(source)
}

// gives reports whether something is there in a directory that is hidden.
func (n *node) gives() bool {
	return slices.ContainsFunc(n.rules(), func(m mount.Mount) bool { return m.Kind != hidden })
}

// shows returns how the session has a path: by the last mount above it. What a program outside has added since it began is not there.
func (l *layout) shows(path string) mount.Kind {
	for _, m := range slices.Backward(l.mounts) {
		if config.Within(path, m.Target) {
			return m.Kind
		}
	}
	return mount.Empty
}
