//go:build unix

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"swop/say"
)

// chapter is a group of verbs, in the order in which one comes to need them. A verb in none of them comes last.
type chapter struct {
	title string
	verbs []string
}

var chapters = []chapter{
	{"Accounts", []string{"add", "list", "login", "logout", "rename", "remove"}},
	{"Which account codex runs as", []string{"use", "bind", "unbind", "which", "run", "sandbox", "env"}},
	{"Looking after them", []string{"sync", "doctor"}},
	{"swop itself", []string{"install", "uninstall", "completion", "man", "version", "help"}},
}

// otherWords are what people type for a verb, beside its name and what is near to it.
var otherWords = map[string][]string{
	"add": {"new", "create"}, "list": {"accounts", "show"}, "use": {"switch", "select", "default", "activate"}, "which": {"status", "current", "whoami", "active"},
	"remove": {"delete", "del"}, "run": {"exec", "shell"}, "sync": {"refresh", "repair", "update"}, "doctor": {"check", "diagnose"},
	"bind": {"dir", "directory"}, "login": {"signin", "auth"}, "logout": {"signout"}, "help": {"usage"},
}

// helps gives the commands from root down our help, in place of cobra's.
func (a *app) helps(root *cobra.Command) {
	help := a.helpCommand()
	root.AddCommand(help)
	root.SetHelpCommand(help)
	for _, cmd := range append(root.Commands(), root) {
		cmd.DisableFlagsInUseLine = true
		cmd.SuggestFor = otherWords[cmd.Name()]
		cmd.Flags().BoolP("help", "h", false, "show this help")
	}
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		_, a.unsaid = io.WriteString(a.stdout, a.helpText(cmd))
	})
}

func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [VERB]",
		Short:   "Explain a verb, or list them",
		Example: example("codex swop help", "codex swop help use"),
		Args:    wants(0, 1, "a verb"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Root().Help()
			}
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 || found == cmd.Root() {
				return unknownVerb(cmd.Root(), args[0])
			}
			return found.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var list []cobra.Completion
			for _, c := range cmd.Root().Commands() {
				if len(args) == 0 && c.IsAvailableCommand() {
					list = append(list, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return list, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// unknownVerb is the refusal of a verb that there is not, with the ones that may be meant.
func unknownVerb(root *cobra.Command, verb string) error {
	err := error(usage("unknown command %q", verb))
	for _, near := range root.SuggestionsFor(verb) {
		if verb == "" {
			break // which all begin with
		}
		err = say.WithHint(err, fmt.Sprintf("did you mean: codex swop %s", near))
	}
	return say.WithHint(err, "codex swop help")
}

// proseWidth is the width of help, where the terminal has room for more too: long lines are hard to read.
const proseWidth = 80

// helpText is what explains the command.
func (a *app) helpText(cmd *cobra.Command) string {
	var b strings.Builder
	width := min(a.width(), proseWidth)
	b.WriteString(wrapped(about(cmd), width))
	fmt.Fprintf(&b, "\n%s\n%s", a.paint(bold, "Usage:"), indented(usageLines(cmd)))
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(&b, "  also: codex swop %s\n", strings.Join(cmd.Aliases, ", codex swop "))
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\n%s\n%s\n", a.paint(bold, "Examples:"), strings.Join(rowLines(cmd.Example, width), "\n"))
	}
	for _, c := range chaptersOf(cmd) {
		fmt.Fprintf(&b, "\n%s\n%s", a.paint(bold, c.title+":"), indented(verbLines(cmd, c, width)))
	}
	fmt.Fprintf(&b, "\n%s\n%s", a.paint(bold, "Flags:"), flagLines(flagsOf(cmd), width))
	if cmd == cmd.Root() {
		b.WriteString("\n" + wrapped("codex swop help VERB explains a verb. For the real codex itself: codex --help", width))
	}
	return b.String()
}

// about is the command's description.
func about(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return cmd.Short + "."
}

// wrapped is running text in lines of at most width columns. An empty line parts paragraphs.
func wrapped(s string, width int) string {
	var paragraphs []string
	for p := range strings.SplitSeq(s, "\n\n") {
		lines := strings.Split(text.WrapSoft(strings.Join(strings.Fields(p), " "), width), "\n")
		for i, line := range lines {
			lines[i] = strings.TrimRight(line, " ")
		}
		paragraphs = append(paragraphs, strings.Join(lines, "\n"))
	}
	return strings.Join(paragraphs, "\n\n") + "\n"
}

func indented(lines []string) string {
	return "  " + strings.Join(lines, "\n  ") + "\n"
}

func usageLines(cmd *cobra.Command) []string {
	if cmd == cmd.Root() {
		return []string{"codex swop", "codex swop VERB …"}
	}
	return []string{cmd.UseLine()}
}

// flagsOf are the flags of a command for people.
func flagsOf(cmd *cobra.Command) *pflag.FlagSet { return cmd.LocalFlags() }

// chaptersOf are the verbs below a command; below a verb there are none.
func chaptersOf(cmd *cobra.Command) []chapter {
	if cmd != cmd.Root() {
		return nil
	}
	all := slices.Clone(chapters)
	var rest []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && !slices.ContainsFunc(chapters, func(ch chapter) bool { return slices.Contains(ch.verbs, c.Name()) }) {
			rest = append(rest, c.Name())
		}
	}
	if len(rest) > 0 {
		all = append(all, chapter{"More", rest})
	}
	return all
}

// verbLines are the verbs of a chapter, each with what it does beside it, or below it where that has no room.
func verbLines(root *cobra.Command, c chapter, width int) []string {
	columns := verbColumns(root, c)
	if width >= narrow {
		return layTable(columns)[1:]
	}
	var lines []string
	for _, verb := range c.verbs {
		lines = append(append(lines, verb), below(verbOf(root, verb).Short, width-2, 2)...)
	}
	return lines
}

// rowLines are lines of two columns. Of one that has no room the second column comes below the first, which is pasted where it is a command
// and stays in one line.
func rowLines(text string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		command, does, parted := strings.Cut(strings.TrimLeft(line, " "), "  ")
		if cellWidth(line) <= width || !parted {
			lines = append(lines, line)
			continue
		}
		lines = append(append(lines, "  "+command), below(strings.TrimLeft(does, " "), width, 4)...)
	}
	return lines
}

// flagLines are the flags, each with what it does beside it, or below it where that has no room.
func flagLines(flags *pflag.FlagSet, width int) string {
	if width >= narrow {
		return flags.FlagUsagesWrapped(width)
	}
	return strings.Join(rowLines(strings.TrimSuffix(flags.FlagUsages(), "\n"), width), "\n") + "\n"
}

func verbColumns(root *cobra.Command, c chapter) []column {
	widest := 0
	for _, cmd := range root.Commands() {
		widest = max(widest, len(cmd.Name()))
	}
	return []column{
		newColumn("", c.verbs, func(verb string) string { return fmt.Sprintf("%-*s", widest, verb) }),
		newColumn("", c.verbs, func(verb string) string { return verbOf(root, verb).Short }),
	}
}

func verbOf(root *cobra.Command, verb string) *cobra.Command {
	i := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == verb })
	return root.Commands()[i]
}
