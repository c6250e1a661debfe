package home

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"swop/internal/disk"
	"swop/internal/home/rules"
)

// entry is a name in a home, and what both sides have under it.
type entry struct {
	name        string
	row         rules.Rule // of a pinned entry a private one
	mine, there disk.Stat
	target      string // of the link in the sandbox
	fault       fault
}

// fault is what is wrong with an entry.
type fault uint8

const (
	none      fault = iota
	wrongLink       // a link of ours must be removed, or lead elsewhere
	noLink          // the sandbox lacks the entry
	twoNames        // a hard-linked file lacks one of its names, or they are two files
	twin            // a private file is still the shared one, or a shared file has no link but the file itself
	ownEntry        // the sandbox has an entry of its own in the place of a link
	newSetup        // the sandbox of Windows was set up in this account
	oldMarker       // the marker of that set-up is not the same in both homes
)

// scan returns the entries that are not as they should be. It changes nothing in either directory.
func (v *view) scan() (found []entry, err error) {
	shared, err := v.shared.Entries()
	own, err2 := v.own.Entries()
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	v.seen = shared
	v.pin(own)
	names := maps.Clone(own)
	maps.Copy(names, shared)
	dirs, files := v.Rules.Ahead()
	for _, name := range append(dirs, files...) {
		names[name] = disk.Entry{}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if v.isRight(name, own[name]) {
			continue
		}
		e, err := v.look(name)
		if err != nil {
			if err := v.wait(e, err); err != nil {
				return nil, err
			}
		} else if e.fault != none {
			found = append(found, e)
		}
	}
	found = append(found, setup{v}.scan()...)
	v.left = len(found)
	return found, nil
}

// isRight reports whether the listing and the link alone say that an entry is as it should be, as they do of nearly all.
func (v *view) isRight(name string, own disk.Entry) bool {
	_, there := v.seen[name]
	if !there || own.Mode&fs.ModeSymlink == 0 || v.hardLinks || !v.rowOf(name).Class.Linked() {
		return false
	}
	target, err := v.own.Readlink(name)
	return err == nil && target == v.target(name)
}

// pin notes what the sandbox keeps to itself.
func (v *view) pin(own map[string]disk.Entry) {
	for name, entry := range own {
		row, _ := v.Rules.Row(name)
		switch {
		case entry.Mode&fs.ModeSymlink != 0 || v.Rules.IsShared(name) && row.Class.Shared() || row.Class == rules.HardLink && v.isTwin(name):
			v.pins.unpin(v.Name, name)
		default:
			v.pins.settle(v.Name, name, row)
		}
	}
	v.pins.setPatterns(v.Name, v.Rules.Private)
}

func (v *view) isTwin(name string) bool {
	mine, err := v.own.Stat(name)
	there, err2 := v.shared.Stat(name)
	return errors.Join(err, err2) == nil && mine.Same(there)
}

// rowOf returns the rule for an entry. What is pinned is private, whatever the rules say now.
func (v *view) rowOf(name string) rules.Rule {
	row, _ := v.Rules.Row(name)
	if v.pins.has(v.Name, name) && row.Class.Shared() || v.hardLinks && row.Database {
		row.Class = rules.Private // on Windows CODEX_SQLITE_HOME leads to the databases
	}
	return row
}

// target is where the link to the shared entry leads.
func (v *view) target(name string) string {
	if last := len(v.shared.Path) - 1; v.shared.Path[last] == filepath.Separator {
		return v.shared.Path + name
	}
	return v.shared.Path + string(filepath.Separator) + name
}

// leadsTo returns the name of the shared entry that a link leads to, "" if it leads elsewhere. A link to where the shared home was before counts.
func (v *view) leadsTo(target string) string {
	if target == "" {
		return ""
	}
	dir, name := filepath.Split(target)
	dir = disk.WithoutSlash(dir)
	if dir == v.shared.Path || slices.Contains(v.former, dir) {
		return name
	}
	if !filepath.IsAbs(target) {
		dir = filepath.Join(v.own.Path, dir)
	}
	if disk.SameFile(dir, v.shared.Path) {
		return name
	}
	return ""
}

// look returns an entry with what is wrong with it.
func (v *view) look(name string) (e entry, err error) {
	e = entry{name: name, row: v.rowOf(name)}
	e.mine, err = v.own.Stat(name)
	there, err2 := v.shared.Stat(name)
	target, err3 := v.own.Readlink(name)
	e.there, e.target = there, target
	if err := errors.Join(err, err2, err3); err != nil {
		return e, err
	}
	e.fault = v.judge(e)
	return e, nil
}

func (v *view) judge(e entry) fault {
	class, leads := e.row.Class, v.leadsTo(e.target)
	switch {
	case class == rules.Ignored:
		return when(databases{v}.isLeftLog(e), twin)
	case v.hardLinks && isSetup(e.name) && !e.mine.IsLink() && !setUp(v.shared):
		return none
	case v.isHard(e):
		return when(!v.apart && (!e.mine.Same(e.there) && (e.mine.IsRegular() || !e.mine.Exists()) && (e.there.IsRegular() || !e.there.Exists()) || pairing{v}.unmarked(e)), twoNames)
	case leads == e.name && e.mine.IsLink():
		right := e.target == v.target(e.name) && (e.there.Exists() || class == rules.LinkAhead) && class.Shared()
		return when(!right, wrongLink)
	case v.hasRootName(e.name):
		return when(e.mine.Movable(), ownEntry)
	case !class.Shared():
		return when(e.mine.IsRegular() && e.mine.Same(e.there) && (v.hardLinks || rules.IsHardLinked(e.name)), twin)
	case leads != "": // one of ours at another name stays as it is, unless it leads nowhere
		_, there := v.seen[leads]
		return when(!there && e.there.Exists(), wrongLink)
	case databases{v}.belongsToDatabase(e.name): // it goes with its database
		return when(databases{v}.isLeftLog(e), twin)
	case !e.mine.Exists():
		return when(e.there.Exists() || class == rules.LinkedDir || class == rules.LinkAhead && !v.hardLinks, noLink)
	}
	return when(e.mine.Movable() || e.there.Exists(), ownEntry)
}

// hasRootName reports whether an entry of the sandbox has the name of swop's root in HOME, where a session cannot see that.
func (v *view) hasRootName(name string) bool {
	return v.Name == rules.HomeView && name == rules.RootName(v.layout)
}

func when(is bool, f fault) fault {
	if is {
		return f
	}
	return none
}

// isHard reports whether the entry is shared as a hard link: one file with a name on each side.
func (v *view) isHard(e entry) bool {
	return e.row.Class == rules.HardLink ||
		v.hardLinks && e.row.Class.Shared() && !e.mine.IsDir() && !e.mine.IsLink() && !e.there.IsDir() && (e.mine.Exists() || e.there.Exists())
}
