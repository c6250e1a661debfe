//go:build unix

package install

import (
	"os"
	"path/filepath"
	"slices"
)

// describe ends the report of an install: the real codex, and the line for this shell.
func (s *session) describe() {
	if real := s.real(); real != "" {
		s.report.note("real codex: %s", real)
	} else {
		s.report.note("The real codex is missing; run this again with --with-codex, or:\n\n    npm install -g %s\n", codexPackage)
	}
	if s.inEffect() {
		return
	}
	s.report.Line = syntaxOf(s.o.Shell).line(s.bin, s.last())
	s.report.Why = "New shells run codex through swop; for this one:"
	if !s.onPath {
		s.report.Why = "To run codex through swop, a shell needs:"
	}
}

// inEffect reports whether this shell already runs swop's codex, and finds the real one that npm installed below the prefix.
func (s *session) inEffect() bool {
	path := s.o.Env.Value("PATH")
	ours, err := os.Stat(filepath.Join(s.bin, "codex"))
	if err != nil {
		return false
	}
	first, err := os.Stat(lookPath("codex", path))
	if err != nil || !os.SameFile(ours, first) {
		return false
	}
	return s.last() == "" || slices.Contains(filepath.SplitList(path), s.last())
}

// describeRemoval ends the report of an uninstall.
func (s *session) describeRemoval() {
	if s.o.Purge == nil && s.o.Accounts != "" && exists(s.o.Accounts) {
		s.report.note("kept: %s, the accounts (--purge removes them)", s.o.Accounts)
	}
	if slices.Contains(filepath.SplitList(s.o.Env.Value("PATH")), s.bin) && syntaxOf(s.o.Shell) == posix {
		s.report.Line = "hash -r"
		s.report.Why = "This shell may remember the old path of codex:"
	}
}
