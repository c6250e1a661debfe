//go:build unix

package mirror

import (
	"errors"
	"io/fs"
	"path/filepath"

	"swop/disk"
)

// What the table marks as Bootstrap comes from the shared home or, if that has none yet, from the codex home that the account was taken over
// from, the bootstrap home: it is the set-up of the machine, and to run that again would rotate credentials.

// source returns the directory that the sandbox's link for name points into.
func (p *projection) source(name string) string {
	row, _ := p.rules.Row(name)
	if !row.Bootstrap || p.bootstrap == "" {
		return p.shared.Path
	}
	if there, err := p.shared.Stat(name); err != nil || there.Exists() {
		return p.shared.Path
	}
	return p.bootstrap
}

// addBootstrap adds to shared the entries that come from the bootstrap home.
func (p *projection) addBootstrap(shared map[string]disk.Entry) {
	if p.bootstrap == "" {
		return
	}
	for row := range p.rules.All() {
		if _, ok := shared[row.Pattern]; !ok && row.Bootstrap && p.inBootstrap(row.Pattern) {
			shared[row.Pattern] = disk.Entry{Mode: fs.ModeDir}
		}
	}
}

func (p *projection) inBootstrap(name string) bool {
	i, err := disk.Lstat(filepath.Join(p.bootstrap, name))
	return err == nil && i.Exists()
}

// linkedEntry returns the entry that the sandbox's link for name shows.
func (p *projection) linkedEntry(name string) (disk.Stat, error) {
	if dir := p.source(name); dir != p.shared.Path {
		i, _ := disk.Lstat(filepath.Join(dir, name)) // what cannot be read is not shown
		return i, nil
	}
	return p.shared.Stat(name)
}

// copiesFresh reports whether the account's private directory called name has a copy of each of the shared files, none of them older.
func (p *projection) copiesFresh(name string, files []string) (bool, error) {
	for _, file := range files {
		path := filepath.Join(name, file)
		from, err := disk.Lstat(filepath.Join(p.copySource(path), path))
		if err != nil {
			return false, err
		}
		to, err := disk.Lstat(filepath.Join(p.sandbox.Path, path))
		if err != nil {
			return false, err
		}
		if from.IsRegular() && (!to.Exists() || to.IsRegular() && disk.Older(to.Mtime, from.Mtime)) {
			return false, nil
		}
	}
	return true, nil
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
	return withCopy(source, file, i, own, func(tmp string) error { return own.Replace(tmp, own, file) })
}

// withCopy copies a file to a temporary name in to, and calls place to give it its own name. If that fails, no copy is left.
func withCopy(from disk.Dir, file string, i disk.Stat, to disk.Dir, place func(tmp string) error) error {
	tmp := disk.CopyName()
	err := disk.CopyFile(from, file, i, to, tmp)
	if err == nil {
		err = place(tmp)
	}
	if err != nil {
		err = errors.Join(err, to.Unlink(tmp))
	}
	return err
}
