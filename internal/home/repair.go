package home

import (
	"errors"
	"path/filepath"
	"time"

	"swop/internal/account/process"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/rules"
)

func (v *view) repair(e entry) error {
	switch e.fault {
	case wrongLink, twin:
		return v.drop(e)
	case noLink:
		return v.link(e)
	case twoNames:
		return v.pair(e)
	case oldMarker:
		return v.copyMarker()
	}
	if may, err := v.mayMove(e); err != nil || !may {
		return err
	}
	return v.fold(e)
}

// drop removes a name of the shared entry that should not be there. Where one should, the right link takes its place.
func (v *view) drop(e entry) error {
	if !e.row.Class.Linked() || e.row.Class == rules.Link && !e.there.Exists() {
		return v.take(v.own, e.name, e.mine, dropped)
	}
	if err := v.makeFirst(e); err != nil {
		return err
	}
	return v.replace(e, dropped)
}

// link adds the link to a shared entry.
func (v *view) link(e entry) error {
	if err := v.makeFirst(e); err != nil {
		return err
	}
	return v.own.Symlink(v.target(e.name), e.name)
}

// makeFirst makes a directory that codex does not make behind a link.
func (v *view) makeFirst(e entry) error {
	if e.row.Class != rules.LinkedDir || e.there.Exists() {
		return nil
	}
	return v.shared.Mkdir(e.name)
}

// quietFor is how long a file that replaced a shared file must be unchanged before it is moved while a session runs.
const quietFor = 10 * time.Second

// mayMove reports whether an entry of the sandbox may be moved now: nothing moves under a running program. At rest, what nobody has open
// may be moved; while a session runs only a file that replaced a shared file, once it is quiet.
func (v *view) mayMove(e entry) (bool, error) {
	idle, err := v.idle()
	if err != nil {
		return false, err
	}
	age := time.Duration(v.now.Nano() - e.mine.Ctime.Nano())
	quiet := e.mine.IsRegular() && e.there.Movable() && !e.there.IsDir() && age >= quietFor && !v.hardLinks && !v.isDatabase(e.name)
	if !idle && !quiet {
		return false, nil
	}
	used, known, err := v.inUse(e.name, e.mine)
	if used && idle {
		v.waits = append(v.waits, Defect{Name: e.name, Text: "waits to be shared: a process has it open", Wait: true, Own: true})
	}
	return !used && (known || idle), err
}

// inUse reports whether a process has the sandbox's entry open, or something in it, and whether the system tells.
func (v *view) inUse(name string, mine disk.Stat) (used, known bool, err error) {
	if mine.IsLink() {
		return false, true, nil
	}
	if mine.IsRegular() {
		if unopened, known := v.own.Unopened(name); known {
			return !unopened, true, nil
		}
	}
	if v.rest && v.options.NoProcesses != nil {
		if free, err := v.options.NoProcesses(v.account); err != nil || free {
			return false, free, err
		}
	}
	dir, err := filepath.EvalSymlinks(v.own.Path)
	if err != nil {
		return false, false, err
	}
	used, known, err = process.Uses(dir + "/" + name)
	return used, known && v.own.Local(), err // over NFS a session of another host may have it open
}

// fold shares an entry of the sandbox, or keeps it.
func (v *view) fold(e entry) error {
	switch {
	case e.mine.IsRegular() && v.isDatabase(e.name):
		return v.foldDatabase(e)
	case !e.there.Exists():
		return v.adopt(e)
	case e.mine.Same(e.there): // a killed run has shared it
		return v.replace(e, dropped)
	case !e.mine.IsDir() && !e.there.IsDir() && e.there.Movable():
		return v.foldFile(e)
	case e.mine.IsDir() && e.there.IsDir() && e.row.AppendOnly:
		if all, err := merge(v.own, v.shared, e.name); err != nil {
			return err
		} else if all {
			return v.replace(e, dropped)
		}
	}
	return v.keep(e)
}

// adopt moves a new entry to the shared home.
func (v *view) adopt(e entry) error {
	if err := v.own.Move(e.name, v.shared, e.name); err != nil {
		return v.own.Err("rename", e.name, disk.Changed(err))
	}
	return v.own.Symlink(v.target(e.name), e.name)
}

// foldFile decides between two files: the one that was put there later is shared. Where both had changed it says so.
func (v *view) foldFile(e entry) error {
	if disk.Older(e.mine.Ctime, e.there.Mtime) {
		return v.keep(e)
	}
	both := disk.Older(e.mine.Mtime, e.there.Mtime) && !disk.Older(e.there.Mtime, v.lastLook())
	if err := v.share(e, both); err != nil {
		return err
	}
	return v.replace(e, dropped)
}

// keep moves the sandbox's entry to kept/, and says so.
func (v *view) keep(e entry) error {
	if e.row.Regenerated {
		return v.replace(e, dropped)
	}
	if err := v.replace(e, kept); err != nil {
		return err
	}
	v.tell(e.name, "shared one is used, and the session's was kept")
	return nil
}

// merge moves what the directory called name in from has to the one in to, where nothing of that name is. It reports whether that was all.
func merge(from, to disk.Dir, name string) (all bool, err error) {
	mine, err := from.OpenDir(name)
	if err != nil {
		return false, err
	}
	defer mine.Close()
	theirs, err := to.OpenDir(name)
	if err != nil {
		return false, err
	}
	defer theirs.Close()
	entries, err := mine.Entries()
	if err != nil {
		return false, err
	}
	all = true
	var failed []error
	for child, mode := range entries {
		err := mine.Move(child, theirs, child)
		if errors.Is(err, sys.EEXIST) && mode.IsDir() {
			if _, err = merge(mine, theirs, child); err == nil {
				err = mine.Rmdir(child)
			}
		}
		all = all && err == nil
		failed = append(failed, mine.Err("rename", child, disk.Ignore(err, sys.EEXIST, sys.ENOTEMPTY, sys.ENOENT, sys.ENOTDIR, sys.ELOOP)))
	}
	return all, errors.Join(failed...)
}
