package home

import (
	"slices"

	"swop/internal/disk"
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

// isLeft reports whether a killed run has shared a database, and left the sandbox a second name of its log.
func (v *view) isLeft(log entry) bool {
	base, _ := disk.DatabaseName(log.name)
	mine, err := v.own.Stat(base)
	return err == nil && !mine.IsRegular() && log.isTwin()
}

// foldDatabase shares a database with its logs, or keeps them where they meet another. Each log gets its second name beside the database
// before it loses its own: a database is never without its log.
func (v *view) foldDatabase(e entry) error {
	meets := e.there.Exists() && !e.mine.Same(e.there)
	var logs []entry
	for _, name := range disk.DatabaseNames(e.name)[1:] {
		f := v.look(name)
		if f.err != nil {
			return f.err
		}
		meets = meets || f.there.Exists() && !f.mine.Same(f.there) && !f.mine.IsLink() // it may be linked from before there was a database
		if f.mine.IsRegular() {
			logs = append(logs, f)
		}
	}
	err := v.exchange(v.own, e.name, e.mine, when(!meets, dropped), func(files disk.Dir) error {
		to, all := files, logs
		if !meets {
			to, all = v.shared, append(slices.Clone(logs), e)
		}
		for _, f := range all {
			if err := v.stage(f, to); err != nil {
				return err
			}
		}
		return v.newLink(e, files)
	})
	for _, f := range logs {
		if err == nil {
			err = v.take(v.own, f.name, f.mine, dropped)
		}
	}
	return err
}
