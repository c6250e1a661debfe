package home

import (
	"cmp"
	"errors"
	"strconv"
	"time"

	"swop/internal/disk"
	"swop/internal/home/rules"
)

func (v *view) repair(e entry) error {
	if e.row.Class == rules.LinkedDir && !e.there.Exists() && (e.fault == noLink || e.fault == wrongLink) { // codex makes none behind a link
		if err := v.shared.Mkdir(e.name); err != nil {
			return err
		}
	}
	switch {
	case e.err != nil:
		return e.err
	case e.fault == wrongLink && (!e.row.Class.Linked() || e.row.Class == rules.Link && !e.there.Exists()):
		return v.take(v.own, e.name, e.mine, dropped)
	case e.fault == wrongLink, e.fault == noLink:
		return v.replace(e, dropped)
	case v.options.LinksOnly:
		return errors.New("more than links is to be repaired")
	}
	if e.mine.Exists() {
		if err := v.mayMove(e); err != nil {
			return err
		}
	}
	switch e.fault {
	case twoNames:
		return v.pair(e)
	case ownEntry:
		return v.fold(e)
	}
	return v.redo(e)
}

// mayMove returns [disk.ErrChanged], for the next start, if an entry of the sandbox may not be moved now: nothing moves under a running
// program. At rest, all but a file that a process has open may be moved: what works in a directory goes on in it. While a session runs
// only a file that replaced a shared file may, once it is quiet.
func (v *view) mayMove(e entry) error {
	idle, err := v.idle()
	now, err2 := disk.FileClock()
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	unopened, known := v.own.Unopened(e.name) // of what is no file it is not known
	quietFor := cmp.Or(v.options.quietFor, 10*time.Second)
	age := time.Duration(now.Nano() - e.mine.Ctime.Nano())
	quiet := e.mine.IsRegular() && e.there.Movable() && !e.there.IsDir() && age >= quietFor && !v.hardLinks &&
		!v.isDatabase(e.name) && !v.isLog(e.name)
	switch {
	case idle && known && !unopened:
		v.waits = append(v.waits, Defect{strconv.Quote(e.name), waits + "a process has it open", ""})
	case idle, quiet && unopened && known:
		return nil
	}
	return disk.ErrChanged
}

// fold shares an entry of the sandbox, or keeps it.
func (v *view) fold(e entry) error {
	if err := v.relink(e.name); err != nil {
		return err
	}
	if e.mine.IsLink() {
		e = v.look(e.name)
	}
	switch {
	case v.isLog(e.name) && !e.mine.IsDir(): // without its database it would spoil the shared one
		return v.take(v.own, e.name, e.mine, told)
	case e.mine.IsRegular() && v.isDatabase(e.name):
		return v.foldDatabase(e)
	case !e.there.Exists():
		return v.moveShared(e, v.own, e.name, e.mine)
	case e.mine.Same(e.there): // a killed run has shared it
		return v.replace(e, dropped)
	case e.mine.IsLink() && disk.SameFile(v.own.Path+"/"+e.name, v.target(e.name)): // as after mv x y; ln -s y x: shared, it could be a loop
		return v.replace(e, kept)
	case !e.mine.IsDir() && !e.there.IsDir() && e.there.Movable():
		return v.foldFile(e)
	case e.mine.IsDir() && disk.IsDir(v.target(e.name)):
		if err := v.mergeBelow(v.own, v.shared, e.name); err != nil {
			return err
		}
	}
	return v.replace(e, told)
}

// foldFile shares the one of two files that was put at its name later, or the session's where the shared one did not change. A later file
// of the session replaces a version that the session knew by its link, unless another session's version was shared after the save.
func (v *view) foldFile(e entry) error {
	if e.isOverruled() {
		return v.replace(e, told)
	}
	if err := v.share(e, when(e.isNewer() || e.isUnread(), told)); err != nil {
		return err
	}
	e.noteSaved(e.mine)
	return v.replace(e, dropped)
}

// A hard-linked file is one file with a name on each side, for what codex opens through no link, and on Windows. The account's file "seen"
// says which file both had: who removed or replaced it under one name meant the other, too.

// isUnpaired reports whether a hard-linked file lacks a name, or is two files.
func (e entry) isUnpaired() bool {
	return (e.mine.Exists() || e.there.Exists()) && !e.mine.Same(e.there) &&
		(e.mine.IsRegular() || !e.mine.Exists()) && (e.there.IsRegular() || !e.there.Exists())
}

// pair makes the newer of two files the one of both sides, by mtime since a second name changes the ctime of both, and keeps the other, or
// gives a file its second name. Where no hard link can be, the account has its own file, which doctor names.
func (v *view) pair(e entry) error {
	own, _ := v.own.Stat(".") // its time is that of the removal, or of a later change
	removed := v.last(e.name).Ino == e.there.Ino && e.there.Mtime.Nano() <= own.Mtime.Nano()
	switch {
	case !e.mine.Exists() && (e.row.Class != rules.HardLink || !removed || v.wasLed[e.place]):
		return v.replace(e, dropped)
	case !e.mine.Exists(): // codex logs out of the last server by removing the file
		return v.take(v.shared, e.name, e.there, when(!e.isAsSeen(e.there), told))
	case !e.there.Exists() && e.isAsSeen(e.mine): // it was removed outside, or in another account, which changes its ctime alone
		return v.take(v.own, e.name, e.mine, kept)
	case !e.there.Exists():
		return v.shared.Err("link", e.name, disk.Changed(v.own.Link(e.name, v.shared, e.name)))
	}
	both := !e.isAsSeen(e.mine) && !e.isAsSeen(e.there)
	if e.isAsSeen(e.there) || both && e.mine.Mtime.Nano() >= e.there.Mtime.Nano() {
		return v.share(e, when(both, told))
	}
	return v.replace(e, when(both, told))
}
