//go:build unix

package install

import (
	"errors"
	"os"
	"path/filepath"

	"swop/manager/disk"
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
