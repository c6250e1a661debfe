package install

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"slices"

	"swop/disk"
	"swop/disk/sys"
	"swop/say"
)

// makeBin makes the directory of the programs and those above it that are missing, and records them: uninstall removes no others. The record
// lies in one of them: killed before it is written, an install leaves empty directories.
func (s *session) makeBin() error {
	dirs := missingDirs(s.bin)
	if len(dirs) == 0 {
		return nil
	}
	err := errors.Join(os.MkdirAll(s.prefix, 0o755), s.note("", dirs...), os.MkdirAll(s.bin, 0o755))
	if err != nil {
		return say.WithHint(err, "./install.sh --prefix DIR")
	}
	return nil
}

// removeRecord removes the record, and the directories that install made and that are empty: those in it first, so that the record tells a later
// run of what is left.
func (s *session) removeRecord() error {
	file := recordFile(s.prefix)
	disk.RemoveEmpty(s.bin)
	if err := disk.RemoveIfExists(textFile{target: file}.tmp()); err != nil {
		return err
	}
	s.removeEmptyDirs()
	if err := s.removeFile(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
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

// lock waits until no other install or uninstall works in bin, and keeps others out until unlock is called or the process ends. The directory itself is
// locked, so no file is left behind; where the file system has no locks, or bin is missing, nothing is locked.
func (s *session) lock() (unlock func()) {
	if !locksDirectories {
		return func() {}
	}
	dir, err := os.Open(s.bin)
	if err != nil {
		return func() {} // the step that needs it reports that
	}
	flock := func(how int) error {
		_, err := disk.RetryEINTR(func() (struct{}, error) { return struct{}{}, sys.Flock(int(dir.Fd()), how) })
		return err
	}
	if errors.Is(flock(sys.LOCK_EX|sys.LOCK_NB), sys.EWOULDBLOCK) {
		if s.o.Progress != nil {
			say.Line(s.o.Progress, "waiting for another install or uninstall in %s", s.bin)
		}
		_ = flock(sys.LOCK_EX) // see above
	}
	return func() { dir.Close() }
}
