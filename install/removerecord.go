//go:build unix

package install

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"swop/manager/disk"
)

// removeRecord removes the record and the directories that install made, the deepest first. Those that hold nothing but the record are
// renamed with it and then removed: killed in between, it leaves nothing that is in no record.
func (s *session) removeRecord() error {
	file := recordFile(s.prefix)
	disk.RemoveEmpty(s.bin)
	if err := errors.Join(s.dropStaged(), disk.RemoveIfExists(textFile{target: file}.tmp())); err != nil {
		return err
	}
	s.removeEmptyDirs()
	if outermost := s.ownTree(); outermost != "" {
		if err := s.dropTree(outermost); err != nil {
			return err
		}
		s.report.did(file, Removed)
	} else if err := s.removeFile(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.removeEmptyDirs()
	return nil
}

// removeEmptyDirs removes the directories that install made and that are empty, the deepest first.
func (s *session) removeEmptyDirs() {
	deepestFirst := func(a, b string) int { return cmp.Compare(len(b), len(a)) }
	for _, dir := range slices.SortedFunc(slices.Values(s.record.Directories), deepestFirst) {
		disk.RemoveEmpty(dir)
	}
}

// ownTree returns the outermost directory that install made and that holds nothing but the record, "" if no directory does.
func (s *session) ownTree() string {
	outermost := ""
	only := filepath.Base(recordFile(s.prefix))
	for dir := s.prefix; slices.Contains(s.record.Directories, dir); dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 || entries[0].Name() != only {
			break
		}
		outermost, only = dir, filepath.Base(dir)
	}
	return outermost
}

// dropTree removes such a directory. If another program has put something in it meanwhile, it is renamed back.
func (s *session) dropTree(outermost string) error {
	staged := stagedIn(outermost, outermost)
	if err := os.Rename(outermost, staged); err != nil {
		return err
	}
	err := s.dropStaged()
	if exists(staged) {
		err = errors.Join(err, os.Rename(staged, outermost))
	}
	return err
}
