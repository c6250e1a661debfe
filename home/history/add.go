package history

import (
	"errors"
	"path"

	"swop/account"
	"swop/disk"
)

// Add keeps text as the version that about describes, and returns its id. It is put together in scratch, a directory on the file system of swop's
// root: killed anywhere, it is kept complete, or not at all.
func Add(l account.Layout, scratch disk.Dir, about About, text string) (id string, err error) {
	id = NewID(about.Time)
	d, files, err := NewVersion(scratch, id, about)
	if err != nil {
		return "", err
	}
	defer d.Close()
	defer files.Close()
	if err := errors.Join(files.WriteNew(path.Base(about.Path), []byte(text)), files.Sync()); err != nil {
		return "", err
	}
	kept, err := Open(l.Root)
	if err != nil {
		return "", err
	}
	defer kept.Close()
	return id, scratch.Err("rename", id, scratch.Move(id, kept, id))
}
