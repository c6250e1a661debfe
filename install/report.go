package install

import (
	"fmt"
	"strings"
)

// A Deed is what was done to a file.
type Deed string

// The deeds, as the report shows them.
const (
	Created Deed = "new"
	Changed Deed = "changed"
	Removed Deed = "removed"
)

func newOrChanged(existed bool) Deed {
	if existed {
		return Changed
	}
	return Created
}

// A Change is one file and what was done to it.
type Change struct {
	Path string
	Deed Deed
}

// A Warning is something that was left undone while the rest went on.
type Warning struct {
	Text  string
	Hints []string // what the user can do instead, each a line to paste
}

// A Report says what a run did, and what the user needs to know next.
type Report struct {
	Bin      string    // the directory of the programs
	Changes  []Change  // in the order made, each file once; empty when all was in place
	Notes    []string  // further lines
	Line     string    // makes the shell at hand see the change; "" where it does already
	Why      string    // what to say before Line
	Warnings []Warning // for stderr
}

// did adds a change. A file that is changed twice in a run is reported once.
func (r *Report) did(path string, deed Deed) {
	for _, c := range r.Changes {
		if c.Path == path {
			return
		}
	}
	r.Changes = append(r.Changes, Change{path, deed})
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

func (r *Report) warn(text string, hints ...string) {
	r.Warnings = append(r.Warnings, Warning{text, hints})
}

// Text returns the report for people, without the warnings. It ends with a newline. Where the run failed before it changed anything
// there is nothing to show.
func (r Report) Text() string {
	var b strings.Builder
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "%-8s %s\n", c.Deed, c.Path)
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
