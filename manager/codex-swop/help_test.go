//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"swop/internal/test/testcall"
	"swop/manager/terminal"
)

// Every verb is in a chapter of help, has an example, and describes its flags, in 80 columns: a longer line would be pasted in two.
func TestHelp(t *testing.T) {
	root := root(testcall.New(t))
	if !root.AllChildCommandsHaveGroup() {
		t.Error("a verb is in no chapter")
	}
	for _, cmd := range append([]*cobra.Command{root}, root.Commands()...) {
		for line := range strings.SplitSeq(helpText(cmd), "\n") {
			if terminal.Cells(line) > 80 || strings.HasSuffix(line, " ") {
				t.Errorf("help of %s has the line %q of %d", cmd.Name(), line, terminal.Cells(line))
			}
		}
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") ||
			!strings.Contains(cmd.Example, "codex swop "+strings.TrimPrefix(cmd.Name(), "swop")) {
			t.Errorf("%s is described as %q, with the example %q", cmd.Name(), cmd.Short, cmd.Example)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" || strings.HasSuffix(f.Usage, ".") || f.Usage[0] != '`' && f.Usage != strings.ToLower(f.Usage[:1])+f.Usage[1:] {
				t.Errorf("%s --%s is described as %q", cmd.Name(), f.Name, f.Usage)
			}
		})
	}
}
