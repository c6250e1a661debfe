package install

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"swop/internal/disk"
)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// place writes a file with data at path, unless the file is there.
func (s *session) place(path string, data []byte, mode fs.FileMode) error {
	old, err := os.ReadFile(path)
	if err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := replace(path, data, mode); err != nil {
		return err
	}
	s.did(path, err == nil)
	return nil
}

// remove removes the file, and the staged one of a killed run.
func (s *session) remove(path string) error {
	err := errors.Join(disk.RemoveIfExists(staged(path)), os.Remove(path))
	if err == nil {
		s.removed(path)
	}
	return disk.Ignore(err, fs.ErrNotExist)
}

// staged returns the name of a new file before it is renamed. A killed run leaves that file; the next one removes it.
func staged(path string) string { return path + ".swop-new" }

// replace puts a file with data in the place of the one at path: at each moment, the old file or the new one is there. A running program
// goes on with the old file.
func replace(path string, data []byte, mode fs.FileMode) error {
	if err := disk.RemoveIfExists(staged(path)); err != nil {
		return err
	}
	f, err := os.OpenFile(staged(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if err = errors.Join(f.Chmod(mode), disk.Fill(f, data)); err == nil {
		err = rename(staged(path), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(staged(path)))
	}
	return disk.SyncDir(filepath.Dir(path))
}
