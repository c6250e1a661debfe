package install

import (
	"os"
	"path/filepath"
	"slices"
)

// describe ends the report of an install: the real codex, and the line for the shell at hand.
func (s *session) describe() {
	if real := s.real(); real != "" {
		s.report.note("real codex: %s", real)
	} else {
		s.report.note("There is no real codex yet; run this again with --with-codex, or:\n\n    npm install -g %s\n", codexPackage)
	}
	if s.inEffect() {
		return
	}
	s.report.Line = s.syntax().line(s.bin, s.last())
	s.report.Why = "New shells run codex through swop; for this one:"
	if !s.lined {
		s.report.Why = "A shell that is to run codex through swop needs:"
	}
}

// inEffect is true where the shell at hand runs swop's codex already, and finds the real one that npm put below the prefix.
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

func (s *session) syntax() syntax {
	if filepath.Base(s.o.Shell) == "fish" {
		return fish
	}
	return posix
}
