//go:build unix

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"swop/internal/test/testcall"
	"swop/manager/terminal"
)

// verbs are the commands that people are shown.
func verbs(root *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(root.Commands()), func(c *cobra.Command) bool { return c.Hidden })
}

func TestEveryVerbIsExplained(t *testing.T) {
	a := testcall.New(t)
	root := root(a)
	whole := helpText(root)
	for _, cmd := range verbs(root) {
		if !strings.Contains(whole, "\n  "+cmd.Name()+" ") {
			t.Errorf("help does not list %s", cmd.Name())
		}
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s is described as %q", cmd.Name(), cmd.Short)
		}
		if !strings.Contains(cmd.Example, "codex swop "+cmd.Name()) {
			t.Errorf("%s has the example %q, want one of it", cmd.Name(), cmd.Example)
		}
		if countFlags(cmd) > 1 && !strings.Contains(cmd.UseLine(), "[FLAGS]") {
			t.Errorf("the usage of %s is %q, without its flags", cmd.Name(), cmd.UseLine())
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(helpText(cmd), "--"+f.Name) {
				t.Errorf("%s --%s is not explained", cmd.Name(), f.Name)
			}
			if f.Usage == "" || strings.HasSuffix(f.Usage, ".") || f.Usage != strings.ToLower(f.Usage[:1])+f.Usage[1:] &&
				!strings.HasPrefix(f.Usage, "`") {
				t.Errorf("%s --%s is described as %q", cmd.Name(), f.Name, f.Usage)
			}
		})
	}
}

// Help is for terminals of 80 columns. A line of an example that has more would be pasted in two.
func TestHelpFits(t *testing.T) {
	a := testcall.New(t)
	root := root(a)
	for _, cmd := range append(verbs(root), root) {
		for line := range strings.SplitSeq(helpText(cmd), "\n") {
			if terminal.Cells(line) > 80 || strings.HasSuffix(line, " ") {
				t.Errorf("help of %s has the line %q of %d", cmd.Name(), line, terminal.Cells(line))
			}
		}
	}
}

// Each verb is in a chapter of help, which a reader can take in at a glance.
func TestChapters(t *testing.T) {
	a := testcall.New(t)
	root := root(a)
	if !root.AllChildCommandsHaveGroup() {
		t.Error("a verb is in no chapter")
	}
	for _, group := range root.Groups() {
		n := 0
		for _, cmd := range verbs(root) {
			if cmd.GroupID == group.ID {
				n++
			}
		}
		if n < 3 || n > 9 {
			t.Errorf("chapter %q has %d verbs, want 3 to 9", group.Title, n)
		}
	}
}

// countFlags counts the flags of a verb, --help among them.
func countFlags(cmd *cobra.Command) (n int) {
	cmd.LocalFlags().VisitAll(func(*pflag.Flag) { n++ })
	return n
}
