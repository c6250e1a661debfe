package install

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

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

// lock waits three seconds for another run. One that was killed keeps its lock for a while: the kernel closed its files up to 0.1 s after it
// was reaped (Linux 6.18, a busy machine).
const (
	lockTries = 60
	lockPause = 50 * time.Millisecond
)

// lock keeps a second install or uninstall out of bin until unlock is called or the process ends. The directory itself is locked, so no
// file is left behind; where the file system has no locks, or bin is missing, nothing is locked.
func lock(bin string) (unlock func(), err error) {
	dir, err := os.Open(bin)
	if err != nil {
		return func() {}, nil //nolint:nilerr // what cannot be opened is reported by the step that needs it
	}
	for range lockTries {
		err = sys.Flock(int(dir.Fd()), sys.LOCK_EX|sys.LOCK_NB)
		if !errors.Is(err, sys.EWOULDBLOCK) {
			return func() { dir.Close() }, nil
		}
		time.Sleep(lockPause)
	}
	return nil, errors.Join(fmt.Errorf("another install or uninstall is running in %s", bin), dir.Close())
}
