package swop

import (
	"slices"

	"swop/internal/say"
	"swop/manager/doctor"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/manager/verb/accounts"
	"swop/manager/verb/choice"
)

// Summary is codex swop without a verb: the current account, all accounts, and what the user may type next.
func Summary(s verb.Setup, _ []string) error {
	call := s.Call
	var lines []string
	steps := []step{{"codex swop help", "all commands"}}
	here, chooseErr := s.Here()
	l, err := accounts.Entries(s, here)
	if err != nil {
		return err
	}
	if chooseErr != nil {
		say.Error(call.Stderr, chooseErr) // its hints are what to do next
	} else {
		w, err := choice.Explain(s, here)
		if err != nil {
			return err
		}
		for _, line := range call.Sentences(w.Sentence()) {
			lines = append(lines, call.Paint(terminal.Bold, line))
		}
		lines, steps = append(lines, ""), append(nextSteps(s, w, l), steps...)
	}
	if len(l.Accounts) > 0 {
		lines = append(append(lines, accounts.ListLines(call, l)...), "")
	}
	return call.Show(append(lines, stepLines(steps, call.Width())...))
}

// step is a command and what it does.
type step struct{ command, does string }

// stepLines returns the steps in two columns.
func stepLines(steps []step, width int) []string {
	table := terminal.Rows([]terminal.Column{
		terminal.NewColumn("", steps, func(s step) string { return s.command }),
		terminal.NewColumn("", steps, func(s step) string { return s.does }),
	})
	var lines []string
	for _, row := range table {
		lines = append(lines, terminal.FoldSecond(row, width)...)
	}
	return lines
}

// nextSteps returns the commands that the user most likely needs next.
func nextSteps(s verb.Setup, w choice.WhichAnswer, l accounts.ListAnswer) []step {
	install := step{"npm install -g @openai/codex", "the real codex, which was not found"}
	here, other := say.ShellQuote(w.Label), say.ShellQuote(otherThan(w.Key, l.Accounts))
	steps := []step{
		{"codex swop use " + other, "run as it from now on"},
		{"codex swop bind " + other + " DIR", "always run as it there"},
	}
	switch {
	case len(l.Accounts) == 0 && w.Label == "":
		steps = []step{{"codex swop add work", "log in and keep the login as an account"}}
	case w.Label == "":
		steps = []step{{"codex swop use " + other, "let plain codex run as it"}, {"SWOP_ACCOUNT=" + other + " codex", "or just once"}}
	case !w.Exists:
		steps = []step{{"codex swop add " + here, "log it in first"}, {"codex swop which", "why it is this one"}}
	case w.Login.Mode == "none", w.Login.Mode == "empty":
		steps = []step{{"codex swop login " + here, "log it in"}, {"codex swop which", "why it is this one"}}
	case len(l.Accounts) == 1:
		steps = []step{{"codex swop add personal", "log in another account"}, {"codex swop bind " + here + " DIR", "always run as it there"}}
	}
	switch o, ok := doctor.FindOutside(s.Invocation, s.Store); {
	case ok && len(l.Accounts) == 0 && w.Label == "":
		steps = []step{{o.Command, "make an account of the existing login"}}
	case ok:
		steps = append(steps, step{o.Command, "make an account of the login outside"})
	}
	if w.Codex == "" {
		return []step{install, steps[0]}
	}
	return steps
}

// otherThan returns the label of the most important account but the one with the key, "" if there is no other.
func otherThan(key string, list []accounts.ListEntry) string {
	best := accounts.ListEntry{}
	for _, e := range list {
		if e.Key != key && (best.Key == "" || slices.Compare(e.Rank(), best.Rank()) > 0) {
			best = e
		}
	}
	return best.Label
}
