//go:build unix

package confined

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"swop/internal/account"
	"swop/internal/confine/desk"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/manager/verb"
)

// questionsAnswer is the answer of the verb, as --json prints it.
type questionsAnswer struct {
	SchemaVersion int          `json:"schema_version"`
	Sessions      []desk.Desks `json:"sessions"`
	Always        []stored     `json:"always"`
}

// stored is a grant for later sessions, with an ID by which it can be taken back.
type stored struct {
	ID string `json:"id"`
	desk.Answer
}

func questions(s verb.Setup) (questionsAnswer, error) {
	answer := questionsAnswer{SchemaVersion: 1, Sessions: desk.ListDesks(s.Places.Root), Always: []stored{}}
	keys, err := s.Store.Keys("")
	for _, key := range keys {
		always, damaged := desk.ReadAnswers(s.Places.Root, key)
		for _, a := range always {
			a.Account = key
			id := fmt.Sprintf("%016x", disk.Sum(key, "\x00", a.Workspace, "\x00", a.Session, "\x00", a.Text()))
			answer.Always = append(answer.Always, stored{id[:6], a})
		}
		err = errors.Join(err, damaged)
	}
	return answer, err
}

func showQuestions(call *verb.Call, a questionsAnswer) error {
	var lines []string
	add := func(text string) { lines = append(lines, within(call, text)...) }
	for _, s := range a.Sessions {
		if len(s.Questions) == 0 {
			continue
		}
		add(fmt.Sprintf("session of %q in %s:", s.Account, s.Dir))
		for _, q := range s.Questions {
			add("  " + questionLine(q))
		}
	}
	if len(a.Always) > 0 {
		add("for later sessions, too:")
	}
	for _, given := range a.Always {
		add(fmt.Sprintf("  %s  granted: %s, to %q in %s", given.ID, given.Text(), given.Account, given.Workspace))
	}
	if len(lines) == 0 {
		lines = []string{"no confined session asks for anything"}
	}
	return call.Show(lines)
}

// within returns text, of which a session chose a part, in lines that no terminal breaks again, whatever its characters: what looks like
// another question stands further right than questions do.
func within(call *verb.Call, text string) []string {
	const indent = 8
	width, at := call.Width(), 0
	var b strings.Builder
	for _, r := range say.OneLine(text) {
		cells := utf8.RuneLen(r) // ASCII has one, all else at most two
		if at += cells; at > width {
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent + cells
		}
		b.WriteRune(r)
	}
	return strings.Split(b.String(), "\n")
}

func questionLine(q desk.Question) string {
	state := q.State
	if q.How != "" {
		state += " (" + q.How + ")"
	}
	return fmt.Sprintf("%s  %s: %s", q.ID, state, q.Text())
}

// watchEvery is how often sessions are asked for new questions.
const watchEvery = 500 * time.Millisecond

// watchQuestions prints each question once, until a signal ends the process.
func watchQuestions(call *verb.Call) error {
	s, err := call.Look()
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for {
		for _, session := range desk.ListDesks(s.Places.Root) {
			for _, q := range session.Questions {
				if q.State != desk.Pending || seen[q.ID] {
					continue
				}
				seen[q.ID] = true
				text := fmt.Sprintf("%s  %s in %s asks to %s", q.ID, session.Account, session.Dir, q.Text())
				if err := verb.Print(call, q, func(*verb.Call, desk.Question) error { return call.Show(within(call, text)) }); err != nil {
					return err
				}
			}
		}
		time.Sleep(watchEvery)
	}
}

func Allow(call *verb.Call) *cobra.Command {
	var watch bool
	cmd := &cobra.Command{
		Use:   "allow [ID]",
		Short: "List what confined sessions ask for, or allow it",
		Long: "Without arguments, show what the confined sessions that run ask for, and what they were given, with an ID each; and what was " +
			"allowed for later sessions. With --watch, print each new question when it comes, until interrupted.\n\nWith an ID, give a confined " +
			"session what it asks for. Without a flag the grant lasts as long as the command it was requested for; a host, or a path without a " +
			"command, as the session, also where codex goes on with it.",
		ValidArgsFunction: verb.CompleteWords(call.Complete(questionIDs)),
		Example: verb.Example("codex swop allow", "codex swop allow --watch", "codex swop allow k3fa7q",
			"codex swop allow k3fa7q --always"),
		Args: verb.Takes(0, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var how []string
			for _, name := range []string{desk.Once, desk.ForSession, desk.Always} {
				if set, _ := cmd.Flags().GetBool(name); set {
					how = append(how, name)
				}
			}
			switch {
			case len(how) > 1:
				return verb.WrongUsage(cmd, "name one of --once, --session, --always")
			case len(args) == 0 && len(how) > 0:
				return verb.WrongUsage(cmd, "missing ID")
			case len(args) == 0 && watch:
				return watchQuestions(call)
			case len(args) == 0:
				return verb.Answer(call.Look, questions, showQuestions)(cmd, args)
			}
			d := desk.Decision{Of: args[0], Allow: true, How: strings.Join(how, "")}
			return verb.With(call.Look, func(s verb.Setup, _ []string) error { return decide(s, d) })(cmd, args)
		},
	}
	call.JSONFlag(cmd)
	cmd.Flags().BoolVar(&watch, "watch", false, "print new questions as they come")
	cmd.Flags().Bool(desk.Once, false, "while its command runs")
	cmd.Flags().Bool(desk.ForSession, false, "in this session, and where codex goes on with it")
	cmd.Flags().Bool(desk.Always, false, "for this and all later sessions of the account in this workspace")
	return cmd
}

func Deny(call *verb.Call) *cobra.Command {
	return &cobra.Command{
		Use:   "deny ID",
		Short: "Refuse what a confined session asks for, or take it back",
		Long: "Refuse what a confined session asks for, or take back what it was given, named by its ID in codex swop allow. While the " +
			"session runs it is not asked again, and cannot be allowed. Commands that run with it go on.",
		ValidArgsFunction: verb.CompleteWords(call.Complete(questionIDs)),
		Example:           verb.Example("codex swop deny k3fa7q"),
		Args:              verb.Takes(1, "ID"),
		RunE: verb.With(call.Look, func(s verb.Setup, args []string) error {
			if is, err := takeBack(s, args[0]); is || err != nil {
				return err
			}
			return decide(s, desk.Decision{Of: args[0]})
		}),
	}
}

// takeBack ends a grant for later sessions, and reports whether the ID is of one. Nobody else writes the account's grants meanwhile.
func takeBack(s verb.Setup, id string) (is bool, err error) {
	l, err := account.Flock(account.WrittenLock(s.Places.Home), unix.LOCK_EX, unix.O_CLOEXEC)
	if err != nil {
		return false, disk.Ignore(err, fs.ErrNotExist)
	}
	defer l.Release()
	all, err := questions(s)
	for _, a := range all.Always {
		if a.ID == id {
			s.Say("taken back from %q: %s", a.Account, a.Text())
			return true, desk.StoreAnswer(s.Places.Root, a.Account, a.Answer, false)
		}
	}
	return false, err
}

func decide(s verb.Setup, d desk.Decision) error {
	changed, err := desk.Decide(s.Places.Root, d)
	if err != nil {
		return say.WithHint(err, "codex swop allow")
	}
	return verb.Print(s.Call, changed, func(*verb.Call, desk.Question) error { return s.Show(within(s.Call, questionLine(changed))) })
}

// questionIDs returns the IDs of all questions and grants.
func questionIDs(s verb.Setup, _ string) (list []cobra.Completion) {
	for _, session := range desk.ListDesks(s.Places.Root) {
		for _, q := range session.Questions {
			list = append(list, cobra.CompletionWithDesc(q.ID, q.State+": "+q.Text()))
		}
	}
	return list
}
