//go:build unix

package install

import "errors"

// Uninstall removes swop's block from the start-up files, which are then byte for byte as before, and removes the programs, a Codex that
// install got from npm, and the directories that install made if they are empty. With o.Purge the accounts are removed first. What is not
// swop's is kept, and is a warning.
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
	err = errors.Join(s.removeLeftovers(), s.removePrograms())
	s.describeRemoval()
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
