package swop

import (
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
	here, chooseErr := s.Here()
	l, err := accounts.Entries(s, here)
	if err != nil {
		return err
	}
	var w choice.WhichAnswer
	if chooseErr == nil {
		w, chooseErr = choice.Explain(s, here)
	}
	if chooseErr != nil {
		say.Error(call.Stderr, chooseErr) // its hints are what to do next
	} else {
		for _, line := range call.Sentences(w.Sentence()) {
			lines = append(lines, call.Paint(terminal.Bold, line))
		}
		if next := nextStep(s, w, l); next != "" {
			lines = append(lines, "next: "+next)
		}
		lines = append(lines, "")
	}
	if len(l.Accounts) > 0 {
		lines = append(append(lines, accounts.ListLines(call, l)...), "")
	}
	if err := call.Show(append(lines, "all commands: codex swop help")); err != nil {
		return err
	}
	return l.Unread()
}

// nextStep returns the command that the user needs next, "" if nothing is missing.
func nextStep(s verb.Setup, w choice.WhichAnswer, l accounts.ListAnswer) string {
	here := say.ShellQuote(w.Label)
	adopt := doctor.Adopt(s.Invocation, s.Store)
	switch {
	case w.Codex == "":
		return "npm install -g @openai/codex"
	case w.Label != "" && !w.Exists:
		return "codex swop add " + here
	case w.Label != "" && w.Login.Mode == "none":
		return "codex swop login " + here
	case adopt != "":
		return adopt
	case len(l.Accounts) == 0:
		return "codex swop add work"
	case w.Label == "":
		return "codex swop use " + say.ShellQuote(l.Accounts[0].Label)
	}
	return ""
}
