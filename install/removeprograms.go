//go:build unix

package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"swop/manager/disk"
)

// removePrograms removes what is below the prefix. A prefix that belongs to another user is kept.
func (s *session) removePrograms() error {
	if exists(s.bin) && !mayWrite(s.bin) {
		s.report.warn(fmt.Sprintf("kept: %s, which belongs to another user", s.prefix))
		return nil
	}
	var err error
	for _, name := range slices.Backward(programNames) {
		err = errors.Join(err, s.removeProgram(filepath.Join(s.bin, name)))
	}
	if exists(s.npmCodex()) {
		s.report.did(s.npmCodex(), Removed)
	}
	err = errors.Join(err, s.removeCodex(), s.removeCompletions())
	if err != nil {
		return err // the record tells the next run what is left
	}
	return s.removeRecord()
}

func (s *session) removeProgram(path string) error {
	if err := disk.RemoveIfExists(staged(path)); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = checkProgram(path)
	if _, unread := errors.AsType[syscall.Errno](err); unread {
		return err // it may be swop's
	}
	if err != nil || !info.Mode().IsRegular() {
		s.report.warn(fmt.Sprintf("kept: %s, which is not swop's", path))
		return nil
	}
	return s.removeFile(path)
}

func (s *session) removeFile(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	s.report.did(path, Removed)
	return nil
}
