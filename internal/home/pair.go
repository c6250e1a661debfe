package home

import (
	"path/filepath"

	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/rules"
)

// A hard-linked file is one file with a name on each side, for what codex opens through no link, and on Windows. A third name, in the
// account's directory linked, says which file both had: who removed or replaced it under one name meant the other, too.

// marksName is the directory of the third names.
const marksName = "linked"

// isUnpaired reports whether a hard-linked file lacks a name, or its mark is out of date.
func (e entry) isUnpaired() bool {
	known := disk.At(filepath.Join(e.in.account.Dir, marksName, e.name))
	switch {
	case e.mine.Exists() && e.mine.Same(e.there):
		return !known.Same(e.mine)
	case !e.mine.Exists() && !e.there.Exists():
		return known.Exists()
	}
	return (e.mine.IsRegular() || !e.mine.Exists()) && (e.there.IsRegular() || !e.there.Exists())
}

// pair gives both sides one file: the newer one, and the other is kept. Where no hard link can be, the account has its own, which doctor
// names.
func (v *view) pair(e entry) error {
	marks, err := disk.MakeBelow(v.account.Dir, marksName)
	if err != nil {
		return err
	}
	defer marks.Close()
	known, err := marks.Stat(e.name)
	if err == nil && !e.mine.Same(e.there) {
		err = disk.Changed(v.join(e, known))
	}
	if err == nil {
		err = marks.Unlink(e.name)
	}
	if err == nil {
		err = disk.Ignore(v.own.Link(e.name, marks, e.name), sys.ENOENT) // which file both sides have
	}
	return v.shared.Err("link", e.name, err)
}

// isWritten reports whether a file was written after it lost a name, which changes its ctime alone: it is a new file.
func (v *view) isWritten(i disk.Stat) bool { return !v.hardLinks && i.Mtime == i.Ctime }

// join makes two files one, or gives one the name that it lacks. known is what both sides had.
func (v *view) join(e entry, known disk.Stat) error {
	if e.mine.Exists() {
		if err := v.mayMove(e); err != nil {
			return err
		}
	}
	switch {
	case !e.mine.Exists() && !e.there.Exists():
		return nil
	case !e.mine.Exists() && e.row.Class == rules.HardLink && e.there.Same(known) && !v.isWritten(e.there):
		// codex logs out of the last server by removing the file
		return v.take(v.shared, e.name, e.there, kept)
	case !e.mine.Exists():
		return v.shared.Link(e.name, v.own, e.name)
	case !e.there.Exists() && e.mine.Same(known) && !v.isWritten(e.mine): // it was removed outside, or in another account
		return v.take(v.own, e.name, e.mine, kept)
	case !e.there.Exists():
		return v.own.Link(e.name, v.shared, e.name)
	}
	both := !e.mine.Same(known) && !e.there.Same(known)
	if e.there.Same(known) || both && !disk.Older(e.mine.Mtime, e.there.Mtime) {
		return v.share(e, when(!both, kept))
	}
	return v.replace(e, when(!both, kept))
}
