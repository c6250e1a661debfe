//go:build unix

package install

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/say"
)

// makeBin makes the directory of the programs and those above it that are missing, and records them: uninstall removes no others.
func (s *session) makeBin() error {
	err := s.dropStaged()
	if dirs := missingDirs(s.bin); err == nil && len(dirs) > 0 {
		if exists(s.prefix) {
			err = errors.Join(s.note("", dirs...), os.MkdirAll(s.bin, 0o755))
		} else {
			err = s.makePrefix(dirs)
		}
	}
	if err != nil {
		return say.WithHint(err, "./install.sh --prefix DIR")
	}
	return nil
}

// makePrefix makes dirs, from the outermost to bin, with the record in them, under another name, and then renames the outermost: killed in
// between, it leaves nothing that is in no record.
func (s *session) makePrefix(dirs []string) error {
	for _, dir := range dirs {
		s.record.Directories = add(s.record.Directories, dir)
	}
	outermost := dirs[0]
	err := os.MkdirAll(stagedIn(outermost, s.bin), 0o755)
	if err == nil {
		_, err = s.writeRecordTo(stagedIn(outermost, recordFile(s.prefix)))
	}
	if err == nil {
		err = os.Rename(stagedIn(outermost, outermost), outermost)
	}
	if err != nil {
		return errors.Join(err, s.dropStaged())
	}
	s.report.did(recordFile(s.prefix), Created)
	return disk.SyncDir(filepath.Dir(outermost))
}

// stagedIn returns where path, which is outermost or below it, lies before outermost gets its name.
func stagedIn(outermost, path string) string { return outermost + ".swop-new" + path[len(outermost):] }

// dropStaged removes what a run left that was killed in makePrefix or dropTree, and nothing else.
func (s *session) dropStaged() error {
	for dir := s.prefix; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(stagedIn(dir, dir)); err != nil || !info.IsDir() {
			continue
		}
		record := stagedIn(dir, recordFile(s.prefix))
		if err := disk.RemoveIfExists(textFile{target: record}.tmp()); err != nil {
			return err
		}
		if err := disk.RemoveIfExists(record); err != nil { // last: it tells the next run of the rest
			return err
		}
		for below := s.bin; len(below) >= len(dir); below = filepath.Dir(below) {
			disk.RemoveEmpty(stagedIn(dir, below))
		}
	}
	return nil
}

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
		err = unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return func() { dir.Close() }, nil
		}
		time.Sleep(lockPause)
	}
	return nil, errors.Join(fmt.Errorf("another install or uninstall is running in %s", bin), dir.Close())
}
