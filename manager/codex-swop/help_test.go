//go:build unix

package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// verbs are the commands that people are shown.
func verbs(root *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(root.Commands()), func(c *cobra.Command) bool { return c.Hidden })
}

func TestEveryVerbIsExplained(t *testing.T) {
	a := testApp(t)
	root := a.root()
	whole, page := a.helpText(root), manPage(root, noon)
	for _, cmd := range verbs(root) {
		if !strings.Contains(whole, "\n  "+cmd.Name()+" ") {
			t.Errorf("help does not list %s", cmd.Name())
		}
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s is described as %q", cmd.Name(), cmd.Short)
		}
		if !strings.Contains(cmd.Example, "codex swop "+cmd.Name()) {
			t.Errorf("%s has the example %q", cmd.Name(), cmd.Example)
		}
		if !strings.Contains(page, ".SS \""+escapes.Replace(cmd.UseLine())+"\"\n") {
			t.Errorf("the manual page does not have %q", cmd.UseLine())
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && (!strings.Contains(a.helpText(cmd), "--"+f.Name) || f.Name != "help" && !strings.Contains(page, escapes.Replace("--"+f.Name))) {
				t.Errorf("%s --%s is not explained", cmd.Name(), f.Name)
			}
			if f.Usage == "" || strings.HasSuffix(f.Usage, ".") || f.Usage != lowerFirst(f.Usage) && !strings.HasPrefix(f.Usage, "CODEX") && !strings.HasPrefix(f.Usage, "`") {
				t.Errorf("%s --%s is described as %q", cmd.Name(), f.Name, f.Usage)
			}
		})
	}
}

// Help is for terminals of 80 columns. A line of an example that has more would be pasted in two.
func TestHelpFits(t *testing.T) {
	a := testApp(t)
	root := a.root()
	for _, cmd := range append(verbs(root), root) {
		for line := range strings.SplitSeq(a.helpText(cmd), "\n") {
			if cellWidth(line) > 80 || strings.HasSuffix(line, " ") {
				t.Errorf("help of %s has the line %q of %d", cmd.Name(), line, cellWidth(line))
			}
		}
	}
}

// The chapters name no verb that there is not, and no verb twice.
func TestChapters(t *testing.T) {
	root := testApp(t).root()
	seen := map[string]bool{}
	for _, c := range chaptersOf(root) {
		for _, verb := range c.verbs {
			if seen[verb] || !slices.ContainsFunc(verbs(root), func(c *cobra.Command) bool { return c.Name() == verb }) {
				t.Errorf("%q has the verb %q, twice or never there", c.title, verb)
			}
			seen[verb] = true
		}
	}
	if len(seen) != len(verbs(root)) {
		t.Errorf("the chapters have %d verbs, there are %d", len(seen), len(verbs(root)))
	}
}

// What is escaped for the manual page does not begin with what makes a line a macro.
func TestManEscapes(t *testing.T) {
	p := &page{}
	p.text(".TH x\n'quoted' \\ -a ~ ^ ` \"")
	want := "\\&.TH x\n\\&\\(aqquoted\\(aq \\(rs \\-a \\(ti \\(ha \\(ga \\(dq\n"
	if p.String() != want {
		t.Errorf("text is %q, want %q", p.String(), want)
	}
	for line := range strings.SplitSeq(manPage(testApp(t).root(), noon), "\n") {
		if ok, _ := regexp.MatchString(`^(\.(TH|SH|SS|PP|TP|EX|EE|B|br)\b|\\&|\\fB|$)`, line); !ok {
			t.Errorf("the page has the line %q", line)
		}
	}
}
