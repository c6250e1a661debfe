//go:build unix

package confined

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"swop/confine/desk"
	"swop/manager/verb"
	"swop/say"
)

func Approvals(call *verb.Call) *cobra.Command {
	var watch bool
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "Show what confined sessions ask for, and what they were given",
		Long: "Show what the confined sessions that run ask for, and what they were given, with an ID each for codex swop allow and deny; and what\n" +
			"was allowed or denied for always. With --watch, print each new question when it comes, until interrupted.",
		Example: verb.Example("codex swop approvals", "codex swop approvals --watch", "codex swop approvals --json"),
		Args:    verb.Takes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if watch {
				return watchApprovals(call)
			}
			return verb.Answer(call.Look, approvals, showApprovals)(cmd, args)
		},
	}
	call.JSONFlag(cmd)
	cmd.Flags().BoolVar(&watch, "watch", false, "print new questions as they come")
	return cmd
}

// approvalsAnswer is the answer of the verb, as --json prints it.
type approvalsAnswer struct {
	SchemaVersion int           `json:"schema_version"`
	Sessions      []desk.Desks  `json:"sessions"`
	Always        []desk.Answer `json:"always"`
}

func approvals(s verb.Setup) (approvalsAnswer, error) {
	answer := approvalsAnswer{SchemaVersion: 1, Sessions: desk.ListDesks(s.Places.Root), Always: []desk.Answer{}}
	keys, err := s.Store.Keys("")
	for _, key := range keys {
		kept, damaged := desk.ReadAnswers(s.Places.Root, key)
		answer.Always, err = append(answer.Always, kept...), errors.Join(err, damaged)
	}
	return answer, err
}

func showApprovals(call *verb.Call, a approvalsAnswer) error {
	var lines []string
	add := func(indent int, text string) {
		lines = append(lines, say.Fold(say.OneLine(text), call.Width(), indent)...)
	}
	for _, s := range a.Sessions {
		if len(s.Questions) == 0 {
			continue
		}
		add(0, fmt.Sprintf("session of %q in %s:", s.Account, s.Dir))
		for _, q := range s.Questions {
			add(4, "  "+questionLine(q, call.Now()))
		}
	}
	if len(a.Always) > 0 {
		add(0, "for always:")
	}
	for _, kept := range a.Always {
		add(4, fmt.Sprintf("  %s: %s, to %q in %s", kept.Text(), kept.Verdict(), kept.Account, kept.Workspace))
	}
	if len(lines) == 0 {
		lines = []string{"no confined session asks for anything"}
	}
	return call.Show(lines)
}

func questionLine(q desk.Question, now time.Time) string {
	state := q.State
	if q.How != "" {
		state += " (" + q.How + ")"
	}
	if !q.Until.IsZero() {
		state += " for another " + q.Until.Sub(now).Round(time.Second).String()
	}
	return fmt.Sprintf("%s  %s: %s", q.ID, state, q.Text())
}

// watchEvery is how often sessions are asked for new questions.
const watchEvery = 500 * time.Millisecond

// watchApprovals prints each question once, until it is interrupted.
func watchApprovals(call *verb.Call) error {
	s, err := call.Look()
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for {
		for _, session := range desk.ListDesks(s.Places.Root) {
			for _, q := range session.Questions {
				if q.State != desk.StatePending || seen[q.ID] {
					continue
				}
				seen[q.ID] = true
				text := say.OneLine(fmt.Sprintf("%s  %s in %s asks to %s", q.ID, session.Account, session.Dir, q.Text()))
				if err := verb.Print(call, q, func(*verb.Call, desk.Question) error { return call.Show([]string{text}) }); err != nil {
					return err
				}
			}
		}
		time.Sleep(watchEvery)
	}
}

func Allow(call *verb.Call) *cobra.Command {
	var limit time.Duration
	cmd := &cobra.Command{
		Use:   "allow ID|PATH",
		Short: "Give a confined session what it asks for",
		Long: "Give a confined session what it asks for, named by its ID in codex swop approvals, or by the path or host that it is about. Without a\n" +
			"flag it holds while the command runs that it was asked for, or without such a command while the session runs.",
		ValidArgsFunction: verb.CompleteWords(verb.CompleteFrom(call.Look, verb.NoFiles, questionIDs)),
		Example:           verb.Example("codex swop allow k3fa7q", "codex swop allow ~/data --for 10m", "codex swop allow k3fa7q --always"),
		Args:              verb.Takes(1, "ID|PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d := desk.Decision{Of: args[0], Allow: true, For: limit}
			cmd.Flags().Visit(func(f *pflag.Flag) {
				if f.Value.String() != "false" {
					d.How = f.Name
				}
			})
			if cmd.Flags().NFlag() > 1 || d.How == desk.ForTime && limit <= 0 {
				return verb.WrongUsage(cmd, "name one of --once, --session, --always, or --for with a time")
			}
			return verb.With(call.Look, func(s verb.Setup, _ []string) error { return decide(s, d) })(cmd, args)
		},
	}
	cmd.Flags().Bool(desk.Once, false, "while its command runs")
	cmd.Flags().Bool(desk.ForSession, false, "while the session runs")
	cmd.Flags().DurationVar(&limit, desk.ForTime, 0, "for this `TIME`, such as 10m")
	cmd.Flags().Bool(desk.Always, false, "for this and all later sessions of the account in this workspace")
	return cmd
}

func Deny(call *verb.Call) *cobra.Command {
	var always bool
	cmd := &cobra.Command{
		Use:   "deny ID|PATH",
		Short: "Refuse what a confined session asks for, or take it back",
		Long: "Refuse what a confined session asks for, or take back what it was given, named as in codex swop allow. It is not asked again while\n" +
			"the session runs, or with --always in any later session of the account in this workspace. What is open already stays open.",
		ValidArgsFunction: verb.CompleteWords(verb.CompleteFrom(call.Look, verb.NoFiles, questionIDs)),
		Example:           verb.Example("codex swop deny k3fa7q", "codex swop deny ~/data --always"),
		Args:              verb.Takes(1, "ID|PATH"),
		RunE: verb.With(call.Look, func(s verb.Setup, args []string) error {
			d := desk.Decision{Of: args[0]}
			if always {
				d.How = desk.Always
			}
			return decide(s, d)
		}),
	}
	cmd.Flags().BoolVar(&always, "always", false, "in later sessions of the account in this workspace too")
	return cmd
}

// decide carries out an answer. What looks like a path is one.
func decide(s verb.Setup, d desk.Decision) (err error) {
	if strings.Contains(d.Of, "/") || d.Of[:min(1, len(d.Of))] == "." {
		if d.Of, err = verb.Directory([]string{d.Of}); err != nil {
			return err
		}
	}
	changed, err := desk.Decide(s.Places.Root, d)
	if err != nil {
		return say.WithHint(err, "codex swop approvals")
	}
	var text []string
	for _, q := range changed {
		text = append(text, questionLine(q, s.Now()))
	}
	return s.Show(s.Sentences(text...))
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
