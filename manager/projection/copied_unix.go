//go:build unix

package projection

import (
	"errors"
	"io/fs"
	"path/filepath"

	"swop/manager/disk"
)

// copiesFresh reports whether the account's private directory called name has a copy of each of the shared files, none of them older.
func (p *projection) copiesFresh(name string, files []string) (bool, error) {
	for _, file := range files {
		from, to, err := p.statCopies(name, file)
		if err != nil {
			return false, err
		}
		if from.IsRegular() && (!to.Exists() || to.IsRegular() && disk.Older(to.Mtime, from.Mtime)) {
			return false, nil
		}
	}
	return true, nil
}

func (p *projection) statCopies(name, file string) (from, to disk.Stat, err error) {
	path := filepath.Join(name, file)
	if from, err = disk.Lstat(filepath.Join(p.copySource(path), path)); err != nil {
		return from, to, err
	}
	to, err = disk.Lstat(filepath.Join(p.sandbox.Path, path))
	return from, to, err
}

// copySource returns the home whose file at path is copied: the shared home if it has the file.
func (p *projection) copySource(path string) string {
	if i, err := disk.Lstat(filepath.Join(p.shared.Path, path)); p.bootstrap == "" || err != nil || i.Exists() {
		return p.shared.Path
	}
	return p.bootstrap
}

// updateCopies replaces the copies in the account's private directory called name, each by a rename.
func (p *projection) updateCopies(name string, files []string) error {
	if err := p.sandbox.Mkdir(name); err != nil {
		return err
	}
	own, err := p.sandbox.OpenDir(name)
	if err != nil {
		return err
	}
	defer own.Close()
	if err := disk.DropCopies(own); err != nil {
		return err
	}
	for _, file := range files {
		if err := p.updateCopy(name, file, own); err != nil {
			return err
		}
	}
	return nil
}

// updateCopy replaces one copy. It does not sync the directory: a copy that is lost is made again.
func (p *projection) updateCopy(name, file string, own disk.Dir) error {
	source, err := disk.Open(filepath.Join(p.copySource(filepath.Join(name, file)), name), disk.NoFollow)
	if err != nil {
		return disk.Ignore(err, fs.ErrNotExist)
	}
	defer source.Close()
	i, err := source.Stat(file)
	if err != nil || !i.IsRegular() {
		return err
	}
	tmp := disk.CopyName()
	if err := disk.CopyFile(source, file, i, own, tmp); err != nil {
		return errors.Join(err, own.Unlink(tmp))
	}
	if err := own.Replace(tmp, own, file); err != nil {
		return errors.Join(err, own.Unlink(tmp))
	}
	return nil
}
