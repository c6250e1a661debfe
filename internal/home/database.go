package home

import (
	"errors"
	"fmt"
	"slices"

	"swop/internal/disk"
	"swop/internal/say"
)

// databases moves databases with the files that belong to them.
type databases struct{ *view }

// groupOf returns the name, and the names of what belongs to the database that it is: of codex's own by their names, of others by what is in the files.
func (v databases) groupOf(name string) []string {
	if row, _ := v.Rules.Row(name); !row.Database {
		return append([]string{name}, disk.Companions(name, v.own, v.shared)...)
	}
	return slices.DeleteFunc(disk.DatabaseNames(name), func(other string) bool {
		mine, err := v.own.Stat(other)
		there, err2 := v.shared.Stat(other)
		return other != name && (errors.Join(err, err2) != nil || !mine.Exists() && !there.Exists())
	})
}

// belongsToDatabase reports whether the entry is the log or journal of a database that is there.
func (v databases) belongsToDatabase(name string) bool {
	base, companion := disk.DatabaseName(name)
	if !companion {
		return false
	}
	mine, err := v.own.Stat(base)
	there, err2 := v.shared.Stat(base)
	return errors.Join(err, err2) == nil && (mine.Exists() || there.Exists()) && slices.Contains(v.groupOf(base), name)
}

// isLeftLog reports whether the sandbox has a second name of a shared log whose database a killed run has shared.
func (v databases) isLeftLog(e entry) bool {
	base, companion := disk.DatabaseName(e.name)
	mine, err := v.own.Stat(base)
	return companion && err == nil && !mine.IsRegular() && e.mine.IsRegular() && e.mine.Same(e.there)
}

// foldDatabase shares a database with its log and journal, together or not at all, or keeps them where they meet another: at rest, and only if no
// process has a file of either open.
func (v databases) foldDatabase(e entry, names []string) error {
	meets := false
	var logs []entry
	for _, name := range names {
		f, err := v.look(name)
		if err != nil {
			return err
		}
		if name != e.name && v.leadsTo(f.target) == name {
			continue // it was linked before there was a database
		}
		if f.mine.Exists() && !f.mine.IsRegular() {
			path := v.own.Path + "/" + name
			err := errors.New("a link or a directory is in the place of a database's file")
			return say.WithHint(err, fmt.Sprintf("mv %s %s", say.ShellQuote(path), say.ShellQuote(path+".own")))
		}
		if busy, err := v.isBusy(f); err != nil || busy {
			return err
		}
		meets = meets || f.there.Exists() && !f.there.Same(f.mine)
		if name != e.name && f.mine.Exists() {
			logs = append(logs, f)
		}
	}
	if meets {
		return v.keepDatabase(e, logs)
	}
	return v.adoptDatabase(e, logs)
}

func (v databases) isBusy(f entry) (bool, error) {
	if unopened, known := v.shared.Unopened(f.name); f.there.IsRegular() && known && !unopened {
		return true, nil
	}
	if !f.mine.Exists() {
		return false, nil
	}
	used, known, err := v.inUse(f.name, f.mine)
	return used || !known, err
}

// adoptDatabase gives the logs and then the database a second name in the shared home, before they lose their own: a database is never without its log.
func (v databases) adoptDatabase(e entry, logs []entry) error {
	for _, f := range append(slices.Clone(logs), e) {
		if !f.there.Exists() {
			if err := v.own.Link(f.name, v.shared, f.name); err != nil {
				return v.shared.Err("link", f.name, disk.Changed(err))
			}
		}
	}
	if err := v.replace(e, dropped); err != nil {
		return err
	}
	return v.dropLogs(logs)
}

// keepDatabase moves a database that meets another to kept/, with its logs.
func (v databases) keepDatabase(e entry, logs []entry) error {
	err := v.inKept(func(files disk.Dir) error {
		for _, f := range logs {
			if err := v.stage(f, files); err != nil {
				return err
			}
		}
		return v.replaceIn(files, e, kept)
	})
	if err != nil {
		return err
	}
	v.tell(e.name, apartKept)
	return v.dropLogs(logs)
}

// dropLogs removes the sandbox's names of logs that have others.
func (v databases) dropLogs(logs []entry) error {
	for _, f := range logs {
		if err := v.take(v.own, f.name, f.mine, dropped); err != nil {
			return err
		}
	}
	return nil
}
