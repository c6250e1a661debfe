package home

import (
	"errors"
	"path/filepath"
	"syscall"

	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/rules"
)

// marksName is the directory in an account's where each hard-linked file has a third name.
const marksName = "linked"

// pairing keeps hard-linked files one file.
type pairing struct{ *view }

// pair keeps one file under a name on each side, for what codex opens through no link: the newer file wins, and the other is kept. A third name, in the
// sandbox's directory linked, says which file both had: who removed or replaced it under one name meant the other, too. Where no hard link can be, the
// file is private.
func (v pairing) pair(e entry) error {
	marks, err := disk.Open(v.account.Dir, disk.NoFollow)
	if err != nil {
		return err
	}
	if marks, err = marks.MakeAndOpen(marksName); err != nil {
		return err
	}
	defer marks.Close()
	known, err := marks.Stat(e.name)
	if err != nil {
		return err
	}
	rest := true
	if e.mine.Exists() && !e.mine.Same(e.there) {
		if rest, err = v.idle(); err != nil {
			return err
		}
	}
	removable := e.row.Class == rules.HardLink
	switch {
	case e.mine.Same(e.there):
		return v.setMark(marks, e, known)
	case !e.mine.Exists() && !e.there.Exists():
		return marks.Unlink(e.name)
	case !e.mine.Exists() && removable && e.there.Same(known): // codex logs out of the last server by removing the file
		err = v.take(v.shared, e.name, e.there, kept)
	case !e.mine.Exists():
		err = v.shared.Link(e.name, v.own, e.name)
	case !e.there.Exists() && e.mine.Same(known) && (rest || !v.hardLinks): // it was removed outside, or in another account
		err = v.take(v.own, e.name, e.mine, kept)
	case !rest && (v.hardLinks || e.there.Exists()):
		return nil
	case !e.there.Exists():
		err = v.own.Link(e.name, v.shared, e.name)
	default:
		err = v.settlePair(e, known)
	}
	if errors.Is(err, sys.EXDEV) || errors.Is(err, syscall.EPERM) {
		return nil // the account has its own: doctor names it
	}
	v.retry = v.retry || err == nil
	return v.shared.Err("link", e.name, disk.Changed(err))
}

// settlePair decides between two files. One that both sides had is out of date; else the newer one wins.
func (v pairing) settlePair(e entry, known disk.Stat) error {
	both := !e.mine.Same(known) && !e.there.Same(known)
	if e.there.Same(known) || both && !disk.Older(e.mine.Mtime, e.there.Mtime) {
		if err := v.share(e); err != nil {
			return err
		}
		if both && !e.row.Regenerated {
			v.tell(e.name, sharedKept)
		}
		return nil
	}
	if err := v.replace(e, end(!e.row.Regenerated)); err != nil {
		return err
	}
	if both && !e.row.Regenerated {
		v.tell(e.name, ownKept)
	}
	return nil
}

// setMark notes which file both sides have.
func (v pairing) setMark(marks disk.Dir, e entry, known disk.Stat) error {
	if known.Same(e.mine) {
		return nil
	}
	if err := marks.Unlink(e.name); err != nil {
		return err
	}
	return v.own.Err("link", e.name, disk.Ignore(v.own.Link(e.name, marks, e.name), sys.EEXIST, sys.ENOENT))
}

// unmarked reports whether the mark of a hard-linked file is out of date.
func (v pairing) unmarked(e entry) bool {
	known := disk.At(filepath.Join(v.account.Dir, marksName, e.name))
	return e.mine.Exists() && e.mine.Same(e.there) && !known.Same(e.mine) || !e.mine.Exists() && !e.there.Exists() && known.Exists()
}
