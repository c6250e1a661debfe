package main

import (
	_ "embed"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"swop/manager/verb"
)

// manTemplate is the page without what help says: its date, and the verbs.
//
//go:embed codex-swop.1
var manTemplate string

func manCommand(call *verb.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "man",
		Short:   "Print the manual page",
		Long:    "Print the manual page: the help of all verbs, environment variables, files and exit statuses.",
		Example: verb.Example("codex swop man | man -l -", "codex swop man > ~/.local/share/man/man1/codex-swop.1"),
		Args:    verb.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(call.Stdout, manPage(cmd.Root(), pageDate(call)))
			return err
		},
	}
}

// pageDate returns the day of the commit that the program was built from, today if that is not known.
func pageDate(call *verb.Call) time.Time {
	info, _ := debug.ReadBuildInfo() // nil only without module support
	if info != nil {
		for _, s := range info.Settings {
			if when, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
				return when
			}
		}
	}
	return call.Now()
}

// manPage returns codex-swop(1) in the man(7) language.
func manPage(root *cobra.Command, date time.Time) string {
	var verbs strings.Builder
	for _, group := range root.Groups() {
		fmt.Fprintf(&verbs, ".SH \"%s\"\n", manEscape(strings.ToUpper(strings.TrimSuffix(group.Title, ":"))))
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID && !cmd.Hidden {
				writeVerb(&verbs, cmd)
			}
		}
	}
	return strings.NewReplacer(
		"@DATE@", date.UTC().Format(time.DateOnly), "@ABOUT@\n", manText(root.Long), "@VERBS@\n", verbs.String(), "@EXAMPLES@\n", manText(root.Example),
	).Replace(manTemplate)
}

func writeVerb(w io.Writer, cmd *cobra.Command) {
	fmt.Fprintf(w, ".SS \"%s\"\n%s", manEscape(cmd.UseLine()), manText(about(cmd)))
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(w, ".PP\n%s", manText("Aliases: "+cmd.NameAndAliases()))
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && !f.Hidden {
			writeFlag(w, f)
		}
	})
	fmt.Fprintf(w, ".PP\n.EX\n%s.EE\n", manText(strings.TrimRight(cmd.Example, "\n")))
}

// writeFlag writes a flag and, in the next line, what it is for.
func writeFlag(w io.Writer, f *pflag.Flag) {
	value, use := pflag.UnquoteUsage(f)
	tag := `\fB` + manEscape("--"+f.Name) + `\fR`
	if f.Shorthand != "" {
		tag = `\fB` + manEscape("-"+f.Shorthand) + `\fR, ` + tag
	}
	if value != "" {
		tag += ` \fI` + manEscape(value) + `\fR`
	}
	if !slices.Contains([]string{"", "false", "[]"}, f.DefValue) {
		use += " (default " + f.DefValue + ")"
	}
	fmt.Fprintf(w, ".TP\n%s\n%s", tag, manText(strings.ToUpper(use[:1])+use[1:]+"."))
}

// manText returns lines of which none is taken for a macro, with an empty line as the beginning of a paragraph.
func manText(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(`\&` + manEscape(line) + "\n")
	}
	return b.String()
}

// manEscape keeps characters that man would show as others.
func manEscape(text string) string {
	return strings.NewReplacer(`\`, `\(rs`, "-", `\-`, "~", `\(ti`, "^", `\(ha`, "`", `\(ga`, "'", `\(aq`, `"`, `\(dq`).Replace(text)
}
