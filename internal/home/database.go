package home

import (
	"errors"
	"slices"

	"swop/internal/disk"
	"swop/internal/disk/sys"
)

// A database goes with its log and journal, together or not at all, at rest, and while nobody has it open: SQLite opens it before its log
// and closes it last.

// isDatabase reports whether the name is a database's: one of codex's own, or one that has a log and begins as SQLite's do.
func (v *view) isDatabase(name string) bool {
	row, _ := v.Rules.Row(name)
	hasLog := slices.ContainsFunc(disk.DatabaseNames(name)[1:], func(log string) bool { return v.names[log] })
	return row.Database || hasLog && (v.own.IsDatabase(name) || v.shared.IsDatabase(name))
}

// isLog reports whether the entry belongs to a database.
func (v *view) isLog(name string) bool {
	base, log := disk.DatabaseName(name)
	return log && v.isDatabase(base)
}

// judgeLog returns what is wrong with the log of a database: nothing, if that is in the sandbox and takes it along. It may also be a second
// name, where a killed run has shared the database.
func (e entry) judgeLog() fault {
	base, _ := disk.DatabaseName(e.name)
	mine, err := e.in.own.Stat(base)
	switch {
	case err != nil || mine.IsRegular():
		return none
	case e.isTwin():
		return twin
	}
	return when(e.mine.IsRegular() && e.in.rowOf(base).Class.Shared(), ownEntry)
}

// foldDatabase shares a database with its logs, or keeps them where one of them meets another.
func (v *view) foldDatabase(e entry) error {
	meets := false
	for _, name := range disk.DatabaseNames(e.name) {
		mine, err := v.own.Stat(name)
		there, err2 := v.shared.Stat(name)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		meets = meets || there.Exists() && !mine.Same(there) && !mine.IsLink() // it may be linked from before there was a database
	}
	var err error
	if meets {
		err = v.inKept(func(files disk.Dir) error { return moveWithLogs(v.own, e.name, files) })
		v.tell(v.own, e.name)
	} else {
		err = moveWithLogs(v.own, e.name, v.shared)
	}
	if err != nil {
		return err
	}
	return v.link(v.own, e.name)
}

// moveWithLogs moves an entry to where nothing else of that name is, and a database with its logs, of which each gets its second name
// before the database moves, and loses its own after that: a database is never without its log.
func moveWithLogs(from disk.Dir, name string, to disk.Dir) error {
	var logs []string
	for _, log := range disk.DatabaseNames(name)[1:] {
		if i, err := from.Stat(log); err != nil || !i.IsRegular() {
			continue
		}
		if err := disk.Ignore(from.Link(log, to, log), sys.EEXIST); err != nil {
			return from.Err("link", log, err)
		}
		logs = append(logs, log)
	}
	err := from.Err("rename", name, from.Move(name, to, name))
	for _, log := range logs {
		if err == nil {
			err = from.Unlink(log)
		}
	}
	return err
}
