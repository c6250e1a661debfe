//go:build unix

package manager

import (
	"errors"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// What the table marks as Bootstrap comes from the shared home or, where that has none yet, from the codex home that the account was
// taken over from: set-up of the machine, which a second run of would rotate credentials.

// source is the directory that the account sees name of.
func (p *projection) source(name string) string {
	row, _ := p.rules.row(name)
	if !row.Bootstrap || p.bootstrap == "" {
		return p.shared.path
	}
	if there, err := p.shared.stat(name); err != nil || there.exists() {
		return p.shared.path
	}
	return p.bootstrap
}

// addBootstrap adds to shared the entries that come from the bootstrap's home.
func (p *projection) addBootstrap(shared map[string]dirent) {
	if p.bootstrap == "" {
		return
	}
	for _, row := range p.rules.rows {
		if _, ok := shared[row.Pattern]; !ok && row.Bootstrap && p.inBootstrap(row.Pattern) {
			shared[row.Pattern] = dirent{mode: fs.ModeDir}
		}
	}
}

func (p *projection) inBootstrap(name string) bool {
	var st unix.Stat_t
	return unix.Lstat(filepath.Join(p.bootstrap, name), &st) == nil
}

// lookThrough returns the entry that the link of name shows.
func (p *projection) lookThrough(name string) (item, error) {
	if dir := p.source(name); dir != p.shared.path {
		var st unix.Stat_t
		if unix.Lstat(filepath.Join(dir, name), &st) == nil {
			return itemOf(&st), nil
		}
		return item{}, nil
	}
	return p.shared.stat(name)
}

// copied reports whether the account's private directory called name has every file that it is to get from the shared one, none older.
func (p *projection) copied(name string, files []string) (bool, error) {
	for _, file := range files {
		from, to, err := p.bothCopies(name, file)
		if err != nil {
			return false, err
		}
		if from.isRegular() && (!to.exists() || to.isRegular() && older(to.mtime, from.mtime)) {
			return false, nil
		}
	}
	return true, nil
}

func (p *projection) bothCopies(name, file string) (from, to item, err error) {
	path := filepath.Join(name, file)
	if from, err = itemAt(filepath.Join(p.copySource(path), path)); err != nil {
		return from, to, err
	}
	to, err = itemAt(filepath.Join(p.sandbox.path, path))
	return from, to, err
}

// copySource is the home whose file at path is copied: the shared one, if it has it.
func (p *projection) copySource(path string) string {
	if i, err := itemAt(filepath.Join(p.shared.path, path)); p.bootstrap == "" || err != nil || i.exists() {
		return p.shared.path
	}
	return p.bootstrap
}

// itemAt returns the entry at path, through a directory of ours; one that is not there is not an error.
func itemAt(path string) (item, error) {
	var st unix.Stat_t
	err := unix.Lstat(path, &st)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return item{}, nil
	}
	if err != nil {
		return item{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	return itemOf(&st), nil
}

// copyFrom brings the copies of the account's private directory up to date, each by a rename.
func (p *projection) copyFrom(name string, files []string) error {
	if err := p.sandbox.mkdir(name); err != nil {
		return err
	}
	own, err := p.sandbox.sub(name)
	if err != nil {
		return err
	}
	defer own.close()
	if err := dropCopies(own); err != nil {
		return err
	}
	for _, file := range files {
		if err := p.copyOne(name, file, own); err != nil {
			return err
		}
	}
	return nil
}

// dropCopies removes the copies that a run that was killed did not finish.
func dropCopies(d folder) error {
	entries, err := d.entries()
	failed := []error{err}
	for name := range entries {
		if isCopy(name) {
			failed = append(failed, removeAll(d, name))
		}
	}
	return errors.Join(failed...)
}

// copyOne does not sync the directory: a copy that is lost is made again.
func (p *projection) copyOne(name, file string, own folder) error {
	source, err := openFolder(filepath.Join(p.copySource(filepath.Join(name, file)), name), refuseLink)
	if err != nil {
		return ignore(err, fs.ErrNotExist)
	}
	defer source.close()
	i, err := source.stat(file)
	if err != nil || !i.isRegular() {
		return err
	}
	tmp := copyName()
	if err := copyFile(source, file, i, own, tmp); err != nil {
		return errors.Join(err, own.unlink(tmp))
	}
	if err := own.replace(tmp, own, file); err != nil {
		return errors.Join(err, own.unlink(tmp))
	}
	return nil
}
