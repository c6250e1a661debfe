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

// Uninstall takes swop's lines out of the start-up files, which are then byte for byte as before, and removes the programs, a Codex that
// install got from npm, and the directories that install made if they are empty. With o.Purge the accounts go first. What is not
// swop's stays, and is a warning.
func Uninstall(o Options) (Report, error) {
	s, err := begin(o)
	if err != nil {
		return Report{}, err
	}
	if err := s.purge(); err != nil {
		return s.report, err
	}
	unlock, err := lock(s.bin)
	if err != nil {
		return s.report, err
	}
	defer unlock()
	s.removeLines()
	err = errors.Join(s.removeLeft(), s.removePrograms())
	s.describeGone()
	return s.report, err
}

func (s *session) purge() error {
	if s.o.Purge == nil {
		return nil
	}
	gone, err := s.o.Purge()
	for _, path := range gone {
		s.report.did(path, Removed)
	}
	return err
}

// removeLines looks at every file that install may have changed, whichever shells there are now.
func (s *session) removeLines() {
	files := append(s.where().everywhere(), s.record.Files...)
	slices.Sort(files)
	for _, path := range slices.Compact(files) {
		if err := s.removeFrom(path); err != nil {
			s.report.warn(fmt.Sprintf("%s: %v", path, plain(err)), "take the lines from "+blockStart+" to "+blockEnd+" out of "+path)
		}
	}
}

func (s *session) removeFrom(path string) error {
	f, err := readText(path)
	if f.info == nil || err != nil {
		return s.unlessForeign(path, err)
	}
	if err := disk.RemoveIfExists(f.beside()); err != nil {
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

// unlessForeign forgives what keeps swop from reading a file that no install of ours has changed.
func (s *session) unlessForeign(path string, err error) error {
	if slices.Contains(s.record.Files, path) {
		return err
	}
	return nil
}

// removePrograms takes away what lies below the prefix. In a prefix that belongs to another user all stays.
func (s *session) removePrograms() error {
	if exists(s.bin) && !mayWrite(s.bin) {
		s.report.warn(fmt.Sprintf("%s belongs to another user and stays", s.prefix))
		return nil
	}
	var err error
	for _, name := range slices.Backward(programNames) {
		err = errors.Join(err, s.removeProgram(filepath.Join(s.bin, name)))
	}
	if exists(s.fetched()) {
		s.report.did(s.fetched(), Removed)
	}
	err = errors.Join(err, s.dropCodex(), s.removeCompletions())
	if err != nil {
		return err // the record tells the next run what else there is
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
		s.report.warn(fmt.Sprintf("%s is not swop's and stays", path))
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

// removeRecord also removes the directories that were made, the deepest first. Those that hold nothing but the record are renamed with it
// and then removed: killed in between, nothing is there that no record knows.
func (s *session) removeRecord() error {
	removeEmpty(s.bin)
	if err := errors.Join(s.dropStaged(), disk.RemoveIfExists(textFile{target: recordFile(s.prefix)}.beside())); err != nil {
		return err
	}
	dirs := slices.Clone(s.record.Directories)
	slices.SortFunc(dirs, func(a, b string) int { return len(b) - len(a) })
	for _, dir := range dirs {
		removeEmpty(dir)
	}
	if outermost := s.ownTree(); outermost != "" {
		if err := s.dropTree(outermost); err != nil {
			return err
		}
		s.report.did(recordFile(s.prefix), Removed)
	} else if err := s.removeFile(recordFile(s.prefix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, dir := range dirs {
		removeEmpty(dir)
	}
	return nil
}

// ownTree returns the outermost directory that install made and in which there is nothing but the record, "" if there is none.
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

// dropTree removes such a directory. What another program put there meanwhile gets its place back.
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

func (s *session) describeGone() {
	if s.o.Purge == nil && s.o.Accounts != "" && exists(s.o.Accounts) {
		s.report.note("kept: %s, the accounts (--purge removes them)", s.o.Accounts)
	}
	if slices.Contains(filepath.SplitList(s.o.Env.Value("PATH")), s.bin) && s.syntax() == posix {
		s.report.Line = "hash -r"
		s.report.Why = "This shell may remember where codex was:"
	}
}

// removeEmpty removes a directory if nothing is in it; there is nothing to say if something is.
func removeEmpty(dir string) {
	if info, err := os.Lstat(dir); err == nil && info.IsDir() {
		_ = os.Remove(dir) // fails where it is not empty, which is the test
	}
}
