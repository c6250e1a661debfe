//go:build unix

package main

import (
	"fmt"
	"slices"

	"swop/manager/doctor"
	"swop/manager/terminal"
	"swop/say"
)

// summary is codex swop without a verb: the current account, all accounts, and what the user may type next.
func (a *app) summary() error {
	s, err := a.open()
	if err != nil {
		return err
	}
	var lines []string
	steps := []step{{"codex swop help", "all commands"}}
	here, chooseErr := a.choose(s)
	l, err := a.entries(s, here)
	if err != nil {
		return err
	}
	if chooseErr != nil {
		say.Error(a.Stderr, chooseErr) // its hints are what to do next
	} else {
		w, err := a.explain(s, here)
		if err != nil {
			return err
		}
		for _, line := range terminal.Fold(say.Printable(w.sentence()), a.Width(), 0) {
			lines = append(lines, a.Paint(terminal.Bold, line))
		}
		lines, steps = append(lines, ""), append(a.nextSteps(s, w, l), steps...)
	}
	if len(l.Accounts) > 0 {
		lines = append(append(lines, a.summaryLines(l)...), "")
	}
	a.suggests = true
	return a.Show(append(lines, stepLines(steps, a.Width())...))
}

// maxSummary is how many accounts the summary shows: more would push the rest off the screen.
const maxSummary = 10

func (a *app) summaryLines(l listAnswer) []string {
	more := len(l.Accounts) - maxSummary
	l.Accounts = foremost(l.Accounts)
	lines := a.listLines(l, a.Width())
	if more > 0 {
		lines = append(lines, fmt.Sprintf("   and %d more: codex swop list", more))
	}
	return lines
}

// foremost returns the entries that matter most now, in the order that they had: the active one, those in use, those used last.
func foremost(list []listEntry) []listEntry {
	if len(list) <= maxSummary {
		return list
	}
	first := slices.SortedStableFunc(slices.Values(list), func(x, y listEntry) int { return slices.Compare(y.rank(), x.rank()) })[:maxSummary]
	return slices.DeleteFunc(slices.Clone(list), func(e listEntry) bool {
		return !slices.ContainsFunc(first, func(f listEntry) bool { return f.Key == e.Key })
	})
}

// rank returns how much an entry matters now, most important first.
func (e listEntry) rank() []int64 {
	rank := make([]int64, 3)
	if e.Active {
		rank[0] = 1
	}
	if e.InUse {
		rank[1] = 1
	}
	if e.LastUsedAt != nil {
		rank[2] = e.LastUsedAt.Unix()
	}
	return rank
}

// step is a command and what it does.
type step struct{ command, does string }

// stepLines returns the steps in two columns, or where there is no room, what a command does below it.
func stepLines(steps []step, width int) []string {
	table := terminal.Rows([]terminal.Column{
		terminal.NewColumn("", steps, func(s step) string { return s.command }),
		terminal.NewColumn("", steps, func(s step) string { return s.does }),
	})
	var lines []string
	for _, row := range table {
		lines = append(lines, terminal.FoldSecond(row, width, 0)...)
	}
	return lines
}

// nextSteps returns the commands that the user most likely needs next.
func (a *app) nextSteps(s setup, w whichAnswer, l listAnswer) []step {
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
	case w.Login.Mode == "none":
		steps = []step{{"codex swop login " + here, "log it in"}, {"codex swop which", "why it is this one"}}
	case len(l.Accounts) == 1:
		steps = []step{{"codex swop add personal", "log in another account"}, {"codex swop bind " + here + " DIR", "always run as it there"}}
	}
	switch o, ok := doctor.FindOutside(s.Invocation, s.store); {
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
func otherThan(key string, list []listEntry) string {
	best := listEntry{}
	for _, e := range list {
		if e.Key != key && (best.Key == "" || slices.Compare(e.rank(), best.rank()) > 0) {
			best = e
		}
	}
	return best.Label
}
