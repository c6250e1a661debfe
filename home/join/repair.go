package join

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"swop/disk"
	"swop/disk/sys"
	"swop/home/history"
	"swop/home/rules"
	"swop/say"
)

// unlink removes a name in the sandbox. What it is a name of stays.
func (e *engine) unlink(name string) error { return e.own.Unlink(name) }

func (e *engine) link(name string) error {
	there, err := e.shared.Stat(name)
	switch {
	case err != nil:
		return err
	case there.IsDir():
		return e.own.Symlink(filepath.Join(e.shared.Path, name), name)
	}
	return e.own.Err("link", name, disk.Ignore(e.shared.Link(name, e.own, name), sys.EEXIST, sys.ENOENT))
}

// fold shares what the sandbox has of its own: a new entry moves to the shared home; of two files the later one is shared, and the other is kept; of
// two directories the shared one stays.
func (e *engine) fold(name string) error {
	there, err := e.shared.Stat(name)
	mine, err2 := e.own.Stat(name)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	row, _ := e.rules.Row(name)
	switch {
	case !there.Exists():
		return e.shared.Err("rename", name, e.own.Move(name, e.shared, name))
	case there.IsRegular() && mine.IsRegular():
		return e.foldFile(name, there, mine, row)
	case there.IsDir() && mine.IsDir() && row.AppendOnly:
		if err := merge(e.own, e.shared, name); err != nil {
			return err
		}
		if e.own.Rmdir(name) == nil {
			return nil
		}
	}
	return e.keep(e.own, name, history.Apart)
}

func (e *engine) foldFile(name string, there, mine disk.Stat, row rules.Rule) error {
	same, err := disk.EqualFiles(e.own, name, e.shared, name)
	later := disk.Older(there.Mtime, mine.Mtime)
	switch {
	case err != nil:
		return err
	case same, row.Regenerated && !later:
		return e.own.Unlink(name)
	case e.was.knew(name, there):
		return e.supersede(name, history.Replaced, row)
	case later:
		return e.supersede(name, history.Changed, row)
	}
	return e.keep(e.own, name, history.Older)
}

// supersede puts the sandbox's file in the place of the shared one, which is kept: it has a second name in the history before it loses its own.
func (e *engine) supersede(name string, why history.Why, row rules.Rule) error {
	if row.Regenerated {
		return e.own.Replace(name, e.shared, name)
	}
	return e.version(name, why, func(files disk.Dir) error {
		if err := e.shared.Link(name, files, name); err != nil {
			return err
		}
		return e.own.Replace(name, e.shared, name)
	})
}

// keep moves an entry into the history.
func (e *engine) keep(from disk.Dir, name string, why history.Why) error {
	return e.version(name, why, func(files disk.Dir) error { return from.Move(name, files, name) })
}

// kept is what the user is told of a version that is kept.
var kept = map[history.Why]string{
	history.Changed: "two versions changed: the session's, which is later, is used, and the other was kept",
	history.Older:   "two versions changed: the shared one, which is later, is used, and the session's was kept",
	history.Apart:   "the shared one stays, and the session's was kept",
}

// version makes a version in the history, for put to fill. Killed before that, it is one without files, which is pruned.
func (e *engine) version(name string, why history.Why, put func(files disk.Dir) error) error {
	versions, err := history.Open(e.Layout.Root)
	if err != nil {
		return err
	}
	defer versions.Close()
	at := e.Clock()
	id := history.NewID(at)
	d, files, err := history.NewVersion(versions, id, history.About{View: rules.CodexView, Path: name, Account: e.Account.Key, Time: at, Why: why})
	if err != nil {
		return err
	}
	err = put(files)
	_, _ = files.Close(), d.Close() // nothing was written through them
	if err != nil {
		return disk.Undone(&fs.PathError{Op: "keep", Path: name, Err: err}, disk.RemoveAll(versions, id))
	}
	if text := kept[why]; text != "" {
		e.Say(fmt.Sprintf("%q of account %q: %s; see: codex swop history %s", name, e.Account.Meta.Label, text, say.ShellQuote(name)))
	}
	return nil
}

// merge moves what the directory called name in from has to the one in to, where nothing of that name is. What has the name of another stays.
func merge(from, to disk.Dir, name string) error {
	mine, err := from.OpenDir(name)
	if err != nil {
		return err
	}
	defer mine.Close()
	theirs, err := to.OpenDir(name)
	if err != nil {
		return err
	}
	defer theirs.Close()
	entries, err := mine.Entries()
	if err != nil {
		return err
	}
	var left []error
	for child, entry := range entries {
		err := mine.Move(child, theirs, child)
		if errors.Is(err, sys.EEXIST) && entry.Mode.IsDir() {
			if err = merge(mine, theirs, child); err == nil {
				_ = mine.Rmdir(child) // what stays in it is kept with it
			}
		}
		left = append(left, disk.Ignore(err, sys.EEXIST, sys.ENOENT, sys.ENOTDIR))
	}
	return errors.Join(left...)
}

// CheckVolumes refuses homes whose entries cannot be linked: on two volumes, on one without links, or on another machine. What is missing will be
// where the directory above it is.
func CheckVolumes(shared, root string, unlinkable func(dir string) string) error {
	for _, dir := range []string{shared, root} {
		if why := unlinkable(dir); why != "" {
			return say.WithHint(disk.Unsafe("%s: %s, so that its entries cannot be linked", say.Name(dir), why), "use a directory on a local NTFS disk: SWOP_ROOT, CODEX_HOME")
		}
	}
	a, err := disk.Device(shared)
	b, err2 := disk.Device(root)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	return sameVolume(shared, root, a, b)
}

func sameVolume(shared, root string, a, b uint64) error {
	if a == b {
		return nil
	}
	err := disk.Unsafe("the shared home %s and the accounts in %s are on two volumes: a file cannot be linked from one to the other", shared, root)
	return say.WithHint(err, "set SWOP_ROOT to a directory on "+filepath.VolumeName(shared))
}
