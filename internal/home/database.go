package home

import (
	"slices"

	"swop/internal/disk"
)

// A database goes with its log and journal, together or not at all, at rest, and if nobody has any of them open.

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

// foldDatabase shares a database with its logs, or keeps them where they meet another.
func (v *view) foldDatabase(e entry) error {
	meets := e.there.Exists() && !e.mine.Same(e.there)
	var logs []entry
	for _, name := range disk.DatabaseNames(e.name)[1:] {
		f, err := v.look(name)
		if err != nil {
			return err
		}
		meets = meets || f.there.Exists() && !f.mine.Same(f.there) && !f.mine.IsLink() // it may be linked from before there was a database
		if f.mine.IsRegular() {
			logs = append(logs, f)
		}
	}
	var err error
	if meets {
		err = v.keepDatabase(e, logs)
	} else {
		err = adoptDatabase(v, e, logs)
	}
	for _, f := range logs {
		if err == nil {
			err = v.take(v.own, f.name, f.mine, dropped)
		}
	}
	return err
}

// adoptDatabase gives the logs and then the database a second name in the shared home, before they lose their own: a database is never
// without its log.
func adoptDatabase(v *view, e entry, logs []entry) error {
	for _, f := range append(slices.Clone(logs), e) {
		if !f.there.Exists() {
			if err := v.own.Link(f.name, v.shared, f.name); err != nil {
				return v.shared.Err("link", f.name, disk.Changed(err))
			}
		}
	}
	return v.replace(e, dropped)
}

// keepDatabase moves a database that meets another to kept/, with a second name for each of its logs.
func (v *view) keepDatabase(e entry, logs []entry) error {
	err := v.exchange(v.own, e.name, e.mine, kept, func(files disk.Dir) error {
		for _, f := range logs {
			if err := v.stage(f, files); err != nil {
				return err
			}
		}
		return v.newLink(e, files)
	})
	if err == nil {
		v.tell(e.name, "shared one is used, and the session's was kept")
	}
	return err
}
