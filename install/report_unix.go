//go:build unix

package install

import (
	"path/filepath"
	"slices"
)

// describeShell says what this shell needs.
func (s *session) describeShell() {
	if filepath.Base(s.shell) == "zsh" && s.onPath && len(s.o.Completions) > 0 {
		s.report.note("zsh completes codex swop if its start-up files load compinit: autoload -Uz compinit && compinit")
	}
	if s.inEffect() {
		return
	}
	s.report.Line = syntaxOf(s.shell).line(s.bin, s.last())
	s.report.Why = "New shells run codex through swop; for this one:"
	if !s.onPath {
		s.report.Why = "To run codex through swop, a shell needs:"
	}
}

// describeOldShell says what this shell needs after a removal.
func (s *session) describeOldShell() {
	if slices.Contains(filepath.SplitList(s.o.Env.Value("PATH")), s.bin) && syntaxOf(s.shell) == posix {
		s.report.Line = "hash -r"
		s.report.Why = "This shell may remember the old path of codex:"
	}
}
