//go:build unix

package install

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"swop/account/process"
	"swop/config"
)

// describeShell says what this shell needs.
func (s *session) describeShell() {
	if filepath.Base(s.shell) == "zsh" && s.onPath && len(s.o.Completions) > 0 && !s.loadsCompinit() {
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

// loadsCompinit reports whether zsh says, within ten seconds, that its start-up files load compinit: the system's may, or what they source.
func (s *session) loadsCompinit() bool {
	zsh := lookPath("zsh", s.o.Env.Value("PATH"))
	if zsh == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	args := []string{zsh, "-ic", `printf '\0swop:%s' "$+functions[compdef]"`}
	out, err := process.Ask(ctx, exec.Cmd{Path: zsh, Args: args, Env: s.o.Env.With(config.HomeVariable, s.o.Home)}, 1<<20)
	return err == nil && strings.HasSuffix(out, "\x00swop:1")
}

// describeOldShell says what this shell needs after a removal.
func (s *session) describeOldShell() {
	if slices.Contains(filepath.SplitList(s.o.Env.Value("PATH")), s.bin) && syntaxOf(s.shell) == posix {
		s.report.Line = "hash -r"
		s.report.Why = "This shell may remember the old path of codex:"
	}
}
