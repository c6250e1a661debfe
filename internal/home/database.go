package home

import (
	"errors"
	"slices"

	"swop/internal/disk"
	"swop/internal/disk/sys"
)

// A database moves with its log and journal, together or not at all, at rest, while nobody has the database open: SQLite opens it before
// its log and closes it last.

// isDatabase reports whether the name is a database's: one of codex's own, or one that has a log and begins as SQLite's do.
func (v *view) isDatabase(name string) bool {
	row, _ := v.Rules.Row(name)
	return row.Database || v.hasLog(name) && (v.own.IsDatabase(name) || v.shared.IsDatabase(name))
}

func (v *view) hasLog(name string) bool {
	return slices.ContainsFunc(disk.DatabaseNames(name)[1:], func(log string) bool {
		_, has := v.names[log]
		return has
	})
}

// isLog reports whether the entry belongs to a database.
func (v *view) isLog(name string) bool {
	base, log := disk.DatabaseName(name)
	return log && v.isDatabase(base)
}

// judgeLog returns the fault of a database's log: none if the database is in the sandbox and takes the log along. Where a killed run has
// shared the database, the log may be a second name.
func (e entry) judgeLog() fault {
	base, _ := disk.DatabaseName(e.name)
	mine, err := e.view.own.Stat(base)
	switch {
	case err != nil || mine.IsRegular():
		return none
	case e.mine.IsRegular() && e.mine.Same(e.there):
		return wrongLink
	}
	return when(e.mine.IsRegular() && e.view.rowOf(base).Class.Shared(), ownEntry)
}

// foldDatabase shares a database with its logs, or keeps them where one of them meets another.
func (v *view) foldDatabase(e entry) error {
	err := moveWithLogs(v.own, e.name, v.shared)
	if errors.Is(err, sys.EEXIST) {
		err = v.inKept(func(files disk.Dir) error { return moveWithLogs(v.own, e.name, files) })
		if err == nil {
			v.tell(v.own, e.name)
		}
	}
	if err != nil {
		return err
	}
	return v.replace(v.look(e.name), dropped)
}

// moveWithLogs moves a database with its logs, of which each gets its second name before the database moves, and loses its own after that:
// a database is never without its log. Where one of them meets another, nothing moves, and the error wraps EEXIST. A link to a log is left:
// it may have been there before the database.
func moveWithLogs(from disk.Dir, name string, to disk.Dir) error {
	var logs []string
	for _, file := range disk.DatabaseNames(name) {
		mine, err := from.Stat(file)
		there, err2 := to.Stat(file)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		if there.Exists() && !mine.Same(there) && (file == name || !mine.IsLink()) {
			return to.Err("rename", file, sys.EEXIST)
		}
		if file != name && mine.IsRegular() {
			logs = append(logs, file)
		}
	}
	for _, log := range logs {
		if err := disk.Ignore(from.Link(log, to, log), sys.EEXIST); err != nil {
			return from.Err("link", log, err)
		}
	}
	err := from.Err("rename", name, from.Move(name, to, name))
	for _, log := range logs {
		if err == nil {
			err = from.Unlink(log)
		}
	}
	return err
}
