package install

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"swop/internal/disk"
)

// An Action is what was done to a file, as the report shows it.
type Action string

// The actions.
const (
	Created Action = "new"
	Changed Action = "changed"
	Removed Action = "removed"
)

func newOrChanged(existed bool) Action {
	if existed {
		return Changed
	}
	return Created
}

// A Change is one file and what was done to it.
type Change struct {
	Path   string
	Action Action
}

// A Warning is a step that failed while the rest went on.
type Warning struct {
	Text  string
	Hints []string // what the user can do instead, each a line to paste
}

// A Report is what a run did, and what the user needs to know next.
type Report struct {
	Changes  []Change  // in the order made, each file once; empty if nothing had to change
	Notes    []string  // further lines
	Line     string    // the line that makes this shell see the change; "" if it does already
	Why      string    // what to print before Line
	Warnings []Warning // for stderr
}

// did adds a change. A file that is changed twice in a run is reported once.
func (r *Report) did(path string, action Action) {
	if !slices.ContainsFunc(r.Changes, func(c Change) bool { return c.Path == path }) {
		r.Changes = append(r.Changes, Change{path, action})
	}
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

func (r *Report) warn(text string, hints ...string) {
	r.Warnings = append(r.Warnings, Warning{text, hints})
}

// Text returns the report for people, without the warnings. It ends with a newline.
func (r Report) Text() string {
	var b strings.Builder
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "%-8s %s\n", c.Action, c.Path)
	}
	if len(r.Changes) == 0 {
		fmt.Fprintln(&b, "nothing to change")
	}
	for _, n := range r.Notes {
		fmt.Fprintln(&b, n)
	}
	if r.Line != "" {
		fmt.Fprintf(&b, "%s\n\n    %s\n", r.Why, r.Line)
	}
	return b.String()
}

// describe ends the report of an install: the real codex, and the line for this shell.
func (s *session) describe() {
	if real, err := s.o.FindReal(); err == nil && checkProgram(real) != nil {
		s.report.note("real codex: %s", real)
	} else {
		s.report.note("The real codex is missing; install it with:\n\n    npm install -g %s\n", codexPackage)
	}
	first := lookPath("codex", s.o.Env.Value("PATH"))
	if first != "" && disk.SameFile(first, filepath.Join(s.bin, "codex"+disk.Exe)) {
		return
	}
	s.report.Line = LineFor(s.shell, s.bin)
	s.report.Why = "New shells run codex through swop; for this one:"
	if !s.onPath {
		s.report.Why = "To run codex through swop, a shell needs:"
	}
}

// describeRemoval ends the report of an uninstall.
func (s *session) describeRemoval() {
	if s.removedCodex {
		s.report.note("The real codex that swop had installed is removed, too. To have one again:\n\n    npm install -g %s\n", codexPackage)
	}
	if s.o.Purge == nil && s.o.Accounts != "" && exists(s.o.Accounts) {
		s.report.note("kept: %s, the accounts (--purge removes them)", s.o.Accounts)
	}
	if slices.Contains(filepath.SplitList(s.o.Env.Value("PATH")), s.bin) && remembers(s.shell) {
		s.report.Line = "hash -r"
		s.report.Why = "This shell may remember the old path of codex:"
	}
}
