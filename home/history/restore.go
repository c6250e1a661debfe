package history

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"swop/account"
	"swop/disk"
	"swop/disk/sys"
	"swop/say"
)

// ErrGone says that a version is not kept any more: another run restored or removed it.
var ErrGone = errors.New("the version is not kept any more")

// Restore puts the version v in its entry's place. What that replaces is kept, as the version with the id that it returns, "" if nothing was
// there. unused is asked before that is replaced by copies, as a database is, and what lies on another file system; its error ends the restore. Killed
// anywhere, both versions are in place or kept.
func Restore(l account.Layout, root account.Root, v Version, now time.Time, unused func() error) (id string, err error) {
	if len(v.Files) == 0 || v.Path == Unknown {
		return "", fmt.Errorf("version %s: cannot tell where it belongs", v.ID)
	}
	lock, err := l.LockHome(root.SharedHome.Path)
	if err != nil {
		return "", err
	}
	defer lock.Release()
	to, name, err := HomesOf(l, root).open(v.About)
	if err != nil {
		return "", err
	}
	defer to.Close()
	kept, err := disk.OpenBelow(l.Root, l.Path(RootDir))
	if err != nil {
		return "", err
	}
	defer kept.Close()
	r := restoring{l, v, now, kept, to, name}
	present, err := r.present()
	if err != nil {
		return "", err
	}
	if !v.isDatabase() && !slices.ContainsFunc(present, func(file string) bool { return file != name }) {
		id, err = r.exchange()
		if !errors.Is(err, sys.EXDEV) {
			return id, errors.Join(err, to.Sync(), kept.Sync())
		}
	}
	if err := unused(); err != nil {
		return "", err
	}
	return r.byCopies(present)
}

// restoring is one call of [Restore].
type restoring struct {
	account.Layout
	v        Version
	now      time.Time
	kept, to disk.Dir
	name     string // of the entry in to
}

// present returns the names of what is in the version's place: the entry, what the version has files for, and what belongs to a database there.
func (r restoring) present() (names []string, err error) {
	files, err := r.v.openFiles(r.kept)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	own, err := r.to.Stat(r.name)
	if own.Exists() {
		names = append(names, r.name)
	}
	if err != nil || own.Exists() && !own.IsRegular() {
		return names, err
	}
	beside := disk.Companions(r.name, r.to, files)
	for _, file := range r.v.Files {
		if end := r.v.ending(file); end != "" && !slices.Contains(beside, r.name+end) {
			beside = append(beside, r.name+end)
		}
	}
	for _, name := range beside {
		i, err := r.to.Stat(name)
		if err != nil {
			return nil, err
		}
		if i.IsRegular() {
			names = append(names, name)
		}
	}
	return names, nil
}

// about describes what the restored version replaces.
func (r restoring) about() About {
	return About{View: r.v.View, Path: r.v.Path, Time: r.now, Why: Restored}
}

// gone returns [ErrGone] for the errors that mean that the version is gone.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return say.WithHint(ErrGone, "codex swop history")
	}
	return err
}

// exchange lets the entry and the version change places. The version's directory is given the id and the description of what comes there
// first: what it replaces is never kept under the time of an older one, by which it could be pruned at once.
func (r restoring) exchange() (id string, err error) {
	id = NewID(r.now)
	if err := r.kept.Move(r.v.ID, r.kept, id); err != nil {
		return "", gone(r.kept.Err("rename", r.v.ID, err))
	}
	dir := filepath.Join(r.kept.Path, id)
	replaced, err := r.swap(dir)
	if err != nil {
		return "", disk.Undone(err, errors.Join(rewriteAbout(dir, r.v.About), r.kept.Err("rename", id, r.kept.Move(id, r.kept, r.v.ID))))
	}
	if !replaced {
		return "", disk.RemoveAll(r.kept, id) // it holds no version any more
	}
	return id, nil
}

// swap exchanges the file of the version in dir and the entry. It reports false where nothing was in the entry's place.
func (r restoring) swap(dir string) (replaced bool, err error) {
	files, err := disk.OpenBelow(r.kept.Path, filepath.Join(dir, FilesDir))
	if err != nil {
		return false, gone(err)
	}
	defer files.Close()
	if err := rewriteAbout(dir, r.about()); err != nil {
		return false, err
	}
	r.touch(files, r.v.Files[0])
	for range disk.Rounds {
		if err := files.Exchange(r.v.Files[0], r.to, r.name); !errors.Is(err, sys.ENOENT) {
			return true, r.placed(err)
		}
		if err := files.Move(r.v.Files[0], r.to, r.name); !errors.Is(err, sys.EEXIST) {
			return false, r.placed(err)
		}
	}
	return false, r.placed(disk.ErrChanged)
}

// touch gives a file the present time, so that a session's older version does not win against it. What does not let us keeps its time.
func (r restoring) touch(d disk.Dir, name string) {
	if there, err := d.Stat(name); err == nil && there.IsRegular() {
		d.Touch(name, r.now)
	}
}

// placed returns the error of a rename into the entry's place.
func (r restoring) placed(err error) error {
	switch {
	case errors.Is(err, sys.EBUSY):
		return r.to.Mounted(r.name)
	case errors.Is(err, fs.ErrNotExist):
		return gone(err)
	}
	return r.to.Err("rename", r.name, err)
}

func rewriteAbout(dir string, a About) error {
	text, err := a.text()
	if err != nil {
		return err
	}
	return disk.WriteFile(filepath.Join(dir, AboutFile), text)
}
