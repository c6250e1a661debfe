package home

import (
	"errors"
	"fmt"
	"time"

	"swop/internal/account/process"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/rules"
	"swop/internal/say"
)

func (v *view) repair(e entry) error {
	switch e.fault {
	case wrongLink, twin:
		return v.drop(e)
	case noLink:
		return v.link(e)
	case twoNames:
		return pairing{v}.pair(e)
	case newSetup, oldMarker:
		return setup{v}.repair(e)
	}
	if err := v.unmovable(e); err != nil {
		return err
	}
	if may, err := v.mayMove(e); err != nil || !may {
		return err
	}
	return v.fold(e)
}

// unmovable returns why an entry of the sandbox cannot be shared at all.
func (v *view) unmovable(e entry) error {
	path := v.own.Path + "/" + e.name
	switch {
	case v.hasRootName(e.name):
		return say.WithHint(errors.New("swop's own directory has this name"), fmt.Sprintf("mv %s %s", say.ShellQuote(path), say.ShellQuote(path+".own")))
	case !e.mine.Movable():
		return say.WithHint(errors.New("a socket, FIFO or device hides the shared entry"), "rm "+say.ShellQuote(path))
	}
	return nil
}

// drop removes a name of the shared entry that should not be there. Where one should, the right link takes its place.
func (v *view) drop(e entry) error {
	if e.row.Class.Linked() && (e.there.Exists() || e.row.Class == rules.LinkAhead) {
		return v.replace(e, dropped)
	}
	if err := v.take(v.own, e.name, e.mine, dropped); err != nil || e.row.Class != rules.LinkedDir {
		return err
	}
	return v.link(e)
}

// link adds the link to a shared entry.
func (v *view) link(e entry) error {
	if e.row.Class == rules.LinkedDir && !e.there.Exists() {
		if err := v.shared.Mkdir(e.name); err != nil {
			return err
		}
	}
	return v.own.Symlink(v.target(e.name), e.name)
}

// mayMove reports whether an entry of the sandbox may be moved now: nothing moves under a running program. At rest, what nobody has open may be
// moved; while a session runs only a file that replaced a shared file, once it is quiet.
func (v *view) mayMove(e entry) (bool, error) {
	idle, err := v.idle()
	if err != nil {
		return false, err
	}
	age := time.Duration(v.now.Nano() - e.mine.Ctime.Nano())
	quiet := e.mine.IsRegular() && e.there.Movable() && !e.there.IsDir() && age >= quietFor && !v.hardLinks && !e.row.Database && len(databases{v}.groupOf(e.name)) == 1
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
	dir, err := disk.RealPath(v.own.Path)
	if err != nil {
		return false, false, err
	}
	used, known, err = process.Uses(dir + "/" + name)
	return used, known && v.own.Local(), err // over NFS a session of another host may have it open
}

// fold shares an entry of the sandbox, or keeps it.
func (v *view) fold(e entry) error {
	if group := (databases{v}).groupOf(e.name); len(group) > 1 || e.row.Database {
		return databases{v}.foldDatabase(e, group)
	}
	switch {
	case !e.there.Exists():
		return v.adopt(e)
	case e.mine.Same(e.there):
		return v.replace(e, dropped)
	case !e.mine.IsDir() && !e.there.IsDir() && e.there.Movable():
		return v.foldFile(e)
	case e.mine.IsDir() && e.there.IsDir() && e.row.AppendOnly:
		if err := merge(v.own, v.shared, e.name); err != nil {
			return err
		}
		if isEmpty(v.own, e.name) {
			return v.replace(e, dropped)
		}
	}
	return v.keep(e)
}

// adopt moves a new entry to the shared home.
func (v *view) adopt(e entry) error {
	if v.hardLinks && e.mine.IsRegular() {
		return v.own.Link(e.name, v.shared, e.name)
	}
	if err := v.own.Move(e.name, v.shared, e.name); err != nil {
		return v.own.Err("rename", e.name, disk.Changed(err))
	}
	return v.own.Symlink(v.target(e.name), e.name)
}

// foldFile decides between two files: the one that was put there later is shared. Where both had changed it says so.
func (v *view) foldFile(e entry) error {
	same, err := v.equal(e)
	switch {
	case err != nil:
		return err
	case same:
		return v.replace(e, dropped)
	case disk.Older(e.mine.Ctime, e.there.Mtime):
		return v.keep(e)
	}
	if err = v.share(e); err != nil {
		return err
	}
	if !e.row.Regenerated && disk.Older(e.mine.Mtime, e.there.Mtime) && !disk.Older(e.there.Mtime, v.lastLook()) {
		v.tell(e.name, sharedKept)
	}
	return v.replace(e, dropped)
}

// mostCompared bounds the bytes that a reconcile reads to find out that two files are one version.
const mostCompared = 32 << 20

// equal reports whether both files have the same contents. Large ones are not read.
func (v *view) equal(e entry) (bool, error) {
	alike := e.mine.IsRegular() && e.there.IsRegular() && e.mine.Size == e.there.Size && e.mine.Perm() == e.there.Perm()
	if !alike || v.compared+e.mine.Size > mostCompared {
		return false, nil
	}
	v.compared += e.mine.Size
	return disk.EqualFiles(v.own, e.name, v.shared, e.name)
}

// keep moves the sandbox's entry to kept/, and says so.
func (v *view) keep(e entry) error {
	end := kept
	if e.row.Regenerated {
		end = dropped
	}
	if err := v.replace(e, end); err != nil || end == dropped {
		return err
	}
	if e.mine.IsDir() || e.there.IsDir() {
		v.tell(e.name, apartKept)
	} else {
		v.tell(e.name, ownKept)
	}
	return nil
}

func isEmpty(in disk.Dir, name string) bool {
	d, err := in.OpenDir(name)
	if err != nil {
		return false
	}
	defer d.Close()
	entries, err := d.Entries()
	return err == nil && len(entries) == 0
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
		left = append(left, mine.Err("rename", child, disk.Ignore(err, sys.EEXIST, sys.ENOENT, sys.ENOTDIR, sys.ELOOP)))
	}
	return errors.Join(left...)
}
