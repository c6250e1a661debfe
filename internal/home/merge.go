package home

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/say"
)

// mergeBelow moves the entries of the directory called name in from to the directory of that name in to, or to which a user's link of that
// name leads; to another file system it copies them: the originals are kept. What collides stays where it is, and so does a repository.
func (v *view) mergeBelow(from, to disk.Dir, name string) error {
	mine, err := from.OpenDir(name)
	theirs, err2 := disk.Open(filepath.Join(to.Path, name), disk.Follow)
	defer func() { _, _ = mine.Close(), theirs.Close() }()
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	ours, err := mine.Entries()
	there, err2 := theirs.Entries()
	_, isRepository := ours[".git"]
	_, intoRepository := there[".git"]
	one, err3 := mine.Stat(".")
	switch err := errors.Join(err, err2, err3); {
	case err != nil || disk.SameFile(mine.Path, theirs.Path) || isRepository || intoRepository:
		return err
	case one.Dev != v.sandbox:
		return disk.Mounted(mine.Path)
	}
	for name, mode := range there {
		if disk.IsTemp(name) && mode.IsRegular() { // of a run that was killed: others wait for the lock
			_ = theirs.Unlink(name)
		}
	}
	var failed []error
	for name, mode := range ours {
		err := mergeEntry(mine, theirs, name)
		if errors.Is(err, sys.EXDEV) && mode.IsDir() {
			err = cmp.Or(theirs.Mkdir(name), error(sys.EEXIST))
		}
		if errors.Is(err, sys.EEXIST) && mode.IsDir() {
			if err = v.mergeBelow(mine, theirs, name); err == nil {
				err = mine.Rmdir(name)
			}
		}
		err = disk.Ignore(err, sys.EEXIST, sys.ENOTEMPTY, sys.ENOENT, sys.ENOTDIR, sys.ELOOP)
		failed = append(failed, mine.Err("rename", name, err))
	}
	return errors.Join(failed...)
}

// mergeEntry moves an entry to the other directory, where nothing of that name is; a database with its logs, if none of them collides.
func mergeEntry(from, to disk.Dir, name string) error {
	base, isLog := disk.DatabaseName(name)
	here, there := filepath.Join(from.Path, name), filepath.Join(to.Path, name)
	switch {
	case isLog && from.IsDatabase(base): // the log goes with its database
		return nil
	case isLog && to.IsDatabase(base) && !disk.SameFile(here, there): // the log would spoil the other database
		return sys.EEXIST
	case from.IsDatabase(name):
		return moveWithLogs(from, name, to)
	}
	return move(from, name, to)
}

// move moves an entry. To another file system it copies one that is no directory, if no process has it open.
func move(from disk.Dir, name string, to disk.Dir) error {
	err := from.Move(name, to, name)
	i, _ := from.Stat(name) // an entry without stat is not moved
	there, _ := to.Stat(".")
	if !errors.Is(err, sys.EXDEV) || !i.IsRegular() && !i.IsLink() || i.Dev == there.Dev { // of one disk: a mount point
		return err
	}
	if unopened, known := from.Unopened(name); i.IsRegular() && known && !unopened {
		return disk.Unsafe("a process has it open: %s", name)
	}
	tmp := disk.TempName()
	if err = copyFile(from, name, filepath.Join(to.Path, tmp)); err == nil {
		err = to.Move(tmp, to, name)
	}
	return errors.Join(err, to.Unlink(tmp))
}

// relink lets the links at or below an entry of the sandbox lead where they lead after its move: the relative ones that lead out of swop's
// root, and the absolute ones to what is shared, by now or then. It goes into no other file system, and refuses what may be a login, as a
// codex home that a session has moved, or leads to what only the account has.
func (v *view) relink(name string) error {
	return filepath.WalkDir(filepath.Join(v.own.Path, name), func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return disk.Ignore(err, fs.ErrPermission, fs.ErrNotExist)
		case e.IsDir() && disk.At(path).Dev != v.sandbox:
			return fs.SkipDir
		case e.Name() == "auth.json" && e.Type().IsRegular() && filepath.Dir(path) != v.own.Path:
			move := "mv " + say.ShellQuote(filepath.Join(v.own.Path, name)) + " " + say.ShellQuote(v.target(name))
			return say.WithHint(disk.Unsafe("a login may lie in it: %s", say.Name(path)), "if none does: "+move)
		case e.Type()&fs.ModeSymlink == 0:
			return nil
		}
		target, err := os.Readlink(path)
		led, own := v.outside(target)
		root := disk.Resolve(v.Store.Root)
		switch _, dead := os.Stat(path); {
		case err != nil || own != nil:
			return errors.Join(err, own)
		case !filepath.IsAbs(target):
			led = filepath.Join(disk.Resolve(filepath.Dir(path)), target)
			if dead != nil || config.Within(led, root) || config.Within(root, led) {
				return nil
			}
		case led == "":
			return nil
		}
		return putUnsynced(path, func(tmp string) error { return os.Symlink(led, tmp) })
	})
}

// outside returns where in a shared home a path in the sandbox leads, by now or once that is shared, "" for another path. The error is of
// what only the account has.
func (e *engine) outside(path string) (string, error) {
	for _, v := range e.views {
		below, ok := strings.CutPrefix(path, v.own.Path)
		top, _, _ := strings.Cut(strings.TrimPrefix(below, "/"), "/")
		switch {
		case !ok || below != "" && below[0] != '/':
		case below == "" || v.rowOf(top).Class.Shared():
			return v.shared.Path + below, nil
		default:
			return "", disk.Unsafe("only this account has %s", say.Name(path))
		}
	}
	return "", nil
}
