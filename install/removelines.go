//go:build unix

package install

import (
	"fmt"
	"slices"

	"swop/manager/disk"
)

// removeLines removes swop's block from every file that install may have changed, whichever shells there are now.
func (s *session) removeLines() {
	files := append(s.where().everywhere(), s.record.Files...)
	slices.Sort(files)
	for _, path := range slices.Compact(files) {
		if err := s.removeFrom(path); err != nil {
			s.report.warn(fmt.Sprintf("%s: %v", path, withoutPath(err)), "remove the lines from "+blockStart+" to "+blockEnd+" from "+path)
		}
	}
}

func (s *session) removeFrom(path string) error {
	f, err := readText(path)
	if f.info == nil || err != nil {
		return s.ifRecorded(path, err)
	}
	if err := disk.RemoveIfExists(f.tmp()); err != nil {
		return err
	}
	old, err := strip(f.text, blockOf(s.bin))
	if err != nil || !old.found {
		return err
	}
	if old.noFile && len(old.text) == 0 && !f.link {
		if err := f.remove(); err != nil {
			return err
		}
		s.report.did(path, Removed)
		return nil
	}
	if err := f.replace(old.text); err != nil {
		return err
	}
	s.report.did(path, Changed)
	return nil
}

// ifRecorded returns err if an install of ours changed the file, else nil: then it does not matter that the file cannot be read.
func (s *session) ifRecorded(path string, err error) error {
	if slices.Contains(s.record.Files, path) {
		return err
	}
	return nil
}
