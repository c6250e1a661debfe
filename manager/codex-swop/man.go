//go:build unix

package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man",
		Short:   "Print the manual page",
		Long:    "Print the manual page, which has all that help says of each verb, and more, in the form that man(1) reads.",
		Example: example("codex swop man | man -l -", "codex swop man > ~/.local/share/man/man1/codex-swop.1"),
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(a.stdout, manPage(cmd.Root(), a.pageDate()))
			return err
		},
	}
}

// pageDate is the day of the commit that the program was built from, today if that is not known.
func (a *app) pageDate() time.Time {
	info, _ := debug.ReadBuildInfo() // nil only without module support
	if info != nil {
		for _, s := range info.Settings {
			if when, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
				return when
			}
		}
	}
	return a.now()
}

// manPage is codex-swop(1) in the man(7) language.
func manPage(root *cobra.Command, date time.Time) string {
	p := &page{}
	fmt.Fprintf(p, ".TH CODEX-SWOP 1 %s swop \"User Commands\"\n", date.UTC().Format(time.DateOnly))
	p.section("NAME")
	p.text("codex-swop - " + lowerFirst(root.Short))
	p.section("SYNOPSIS")
	p.macro("B", "codex swop")
	p.macro("br")
	p.bold("codex swop", " VERB …")
	p.section("DESCRIPTION")
	p.prose(root.Long)
	p.section("VERBS")
	for _, c := range chaptersOf(root) {
		for _, verb := range c.verbs {
			p.verb(verbOf(root, verb))
		}
	}
	p.definitions("ENVIRONMENT", manVariables)
	p.definitions("FILES", manFiles)
	p.section("EXIT STATUS")
	p.prose("That of a verb is one of:")
	p.pairs(manStatuses)
	p.prose("That of codex under an account is codex's own, but for 125: swop itself failed, 126: the real codex cannot be run, 127: there is none.")
	p.section("EXAMPLES")
	p.example(root.Example)
	p.section("SEE ALSO")
	p.prose("codex --help, codex swop help, codex swop doctor")
	return p.String()
}

// pair is a term and what it means.
type pair struct{ term, means string }

var manVariables = []pair{
	{"SWOP_ACCOUNT", "The account to run as. It outranks bound directories and the active account, and is set in a session."},
	{"SWOP_BYPASS", "With the value 1, codex runs once as if swop were not there."},
	{"SWOP_ROOT", "Where the accounts are kept, an absolute path; also where selector.toml and config.toml are, then."},
	{"SWOP_ALLOW_ROOT", "With the value 1, root may work in the home of another user, as sudo makes it do."},
	{"CODEX_HOME", "Outside of sessions: a codex home of your own, which no account is used with, unless it is the one that the accounts share."},
	{"CODEX_API_KEY, CODEX_ACCESS_TOKEN", "Credentials that codex prefers to the login of any account; codex swop which says so."},
	{"NO_COLOR, TERM", "Without colours where NO_COLOR is set or TERM is dumb."},
}

var manFiles = []pair{
	{"~/.swop", "The accounts: $SWOP_ROOT, else $XDG_STATE_HOME/swop, else this."},
	{"~/.swop/accounts/KEY/home", "The HOME of an account's sessions: links to yours, but for the login in .codex/auth.json."},
	{"~/.swop/displaced", "Versions of files that were set aside; codex swop sync --displaced shows them."},
	{"~/.config/swop/selector.toml", "The active account and the bound directories, written by use and bind, yours to edit."},
	{"~/.config/swop/config.toml", "Your settings, which swop never writes."},
	{"~/.codex", "What all accounts share: configuration, sessions, skills, history."},
}

var manStatuses = []pair{
	{"0", "It is done."},
	{"1", "It failed."},
	{"2", "The call was not understood, or a label is not allowed."},
	{"3", "There is no such account."},
	{"4", "It was refused for safety: the account is in use, or a --yes is missing."},
	{"5", "There is such an account already."},
	{"130", "You left the list of use with q or Ctrl-C."},
}

// page is a text in the man(7) language.
type page struct {
	strings.Builder
	begun bool // the section has text
}

// escapes keep what is typed as it is: without them a hyphen, a caret, a tilde or a quote is shown as another character.
var escapes = strings.NewReplacer(`\`, `\(rs`, "-", `\-`, "~", `\(ti`, "^", `\(ha`, "`", `\(ga`, "'", `\(aq`, `"`, `\(dq`)

func (p *page) macro(name string, args ...string) {
	p.WriteString("." + name)
	for _, arg := range args {
		p.WriteString(` "` + escapes.Replace(arg) + `"`)
	}
	p.WriteString("\n")
}

func (p *page) section(title string) {
	p.macro("SH", title)
	p.begun = false
}

// paragraph begins one, which right after a title goes without saying.
func (p *page) paragraph() {
	if p.begun {
		p.macro("PP")
	}
	p.begun = true
}

func (p *page) bold(words, rest string) {
	p.WriteString(`\fB` + escapes.Replace(words) + `\fR` + escapes.Replace(rest) + "\n")
}

// text writes lines that no line of which is taken for a macro.
func (p *page) text(s string) {
	for line := range strings.SplitSeq(s, "\n") {
		p.WriteString(`\&` + escapes.Replace(strings.TrimSpace(line)) + "\n")
	}
}

// prose writes paragraphs.
func (p *page) prose(s string) {
	for paragraph := range strings.SplitSeq(s, "\n\n") {
		p.paragraph()
		p.text(paragraph)
	}
}

func (p *page) definitions(title string, list []pair) {
	p.section(title)
	p.pairs(list)
}

func (p *page) pairs(list []pair) {
	p.begun = true
	for _, d := range list {
		p.macro("TP")
		p.bold(d.term, "")
		p.text(d.means)
	}
}

// example writes lines as they are typed.
func (p *page) example(s string) {
	p.paragraph()
	p.macro("EX")
	for line := range strings.SplitSeq(s, "\n") {
		p.WriteString(`\&` + escapes.Replace(line) + "\n")
	}
	p.macro("EE")
}

func (p *page) verb(cmd *cobra.Command) {
	p.macro("SS", cmd.UseLine())
	p.begun = false
	p.prose(about(cmd))
	if len(cmd.Aliases) > 0 {
		p.text("Also: codex swop " + strings.Join(cmd.Aliases, ", codex swop ") + ".")
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			p.flag(f)
		}
	})
	if cmd.HasExample() {
		p.example(cmd.Example)
	}
}

func (p *page) flag(f *pflag.Flag) {
	name, means := pflag.UnquoteUsage(f)
	term := "--" + f.Name
	if f.Shorthand != "" {
		term = "-" + f.Shorthand + ", " + term
	}
	if name != "" {
		name = " " + name
	}
	p.macro("TP")
	p.bold(term, name)
	p.text(fmt.Sprintf("%s%s.", strings.ToUpper(means[:1]), means[1:]))
}

// lowerFirst is how a NAME line begins.
func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
