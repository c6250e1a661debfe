package home

import (
	"swop/internal/disk"
	"swop/internal/home/rules"
)

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
	if e.mine.Exists() {
		if err := v.mayMove(e); err != nil {
			return err
		}
	}
	switch {
	case !e.mine.Exists() && (e.row.Class != rules.HardLink || !e.isAsSeen(e.there) || v.wasLed[e.place]):
		return v.newLink(e, v.own)
	case !e.mine.Exists(): // codex logs out of the last server by removing the file
		return v.take(v.shared, e.name, e.there, kept)
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
