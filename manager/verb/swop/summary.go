package swop

import (
	"errors"
	"path/filepath"
	"slices"

	"swop/internal/account/login"
	"swop/internal/say"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/manager/verb/accounts"
	"swop/manager/verb/choice"
	"swop/manager/verb/limits"
)

// summary is the answer of codex swop without a verb, as --json prints it.
type summary struct {
	SchemaVersion int                 `json:"schema_version"`
	Here          *choice.WhichAnswer `json:"here,omitempty"` // nil where a wrong setting chooses
	Accounts      []summaryEntry      `json:"accounts"`       // the one that was used last first
	Next          string              `json:"next,omitempty"` // the command that the user needs next
}

// summaryEntry is an account, with what is left of its limits by the last answer.
type summaryEntry struct {
	accounts.ListEntry
	limits.Left
}

// Summary is codex swop without a verb: the account that codex runs as here, all accounts with what is left of their limits by the last
// answer, and the command that the user needs next.
func Summary(s verb.Setup, _ []string) error {
	here, chooseErr := s.Here()
	l, err := accounts.Entries(s, here)
	if err != nil {
		return err
	}
	sum := summary{SchemaVersion: 1, Accounts: []summaryEntry{}}
	for _, e := range accounts.ByUse(s.Call, l) {
		sum.Accounts = append(sum.Accounts, summaryEntry{e, limits.LeftOf(s, e.Key)})
	}
	var w choice.WhichAnswer
	if chooseErr == nil {
		w, chooseErr = choice.Explain(s, here)
	}
	if chooseErr == nil {
		sum.Here, sum.Next = &w, nextStep(s, w, l)
	} else {
		say.Error(s.Stderr, chooseErr) // with hints in the place of Next
	}
	return errors.Join(verb.Print(s.Call, sum, showSummary), l.Unread())
}

func showSummary(call *verb.Call, sum summary) error {
	var lines []string
	if sum.Here != nil {
		for _, line := range call.Sentences(sum.Here.Sentence()) {
			lines = append(lines, call.Paint(terminal.Bold, line))
		}
		if sum.Next != "" {
			lines = append(lines, "next: "+sum.Next)
		}
		lines = append(lines, "")
	}
	if len(sum.Accounts) > 0 {
		lines = append(append(lines, call.Table(sum.columns(call))...), "")
	}
	return call.Show(append(lines, "all commands: codex swop help"))
}

func (sum summary) columns(call *verb.Call) []terminal.Column {
	left := make([]limits.Left, len(sum.Accounts))
	for i, e := range sum.Accounts {
		left[i] = e.Left
	}
	columns := []terminal.Column{
		terminal.NewColumn(" ", sum.Accounts, func(e summaryEntry) string { return terminal.Mark(e.Active) }),
		terminal.NewColumn("ACCOUNT", sum.Accounts, func(e summaryEntry) string { return e.Label }),
	}
	columns = append(columns, limits.LeftColumns(left)...)
	columns = append(columns, terminal.Filled(terminal.NewColumn("LOGIN", sum.Accounts, summaryEntry.login))...)
	return append(columns, terminal.NewColumn("LAST USED", sum.Accounts, func(e summaryEntry) string { return e.Used(call.Now()) }))
}

// login returns the cell for an account that no pool takes, or whose limits cannot be read; "" for others.
func (e summaryEntry) login() string {
	switch {
	case e.Hold:
		return "on hold"
	case e.Login.Mode == "chatgpt":
		return ""
	}
	return e.Login.Text()
}

// nextStep returns the command that the user needs next, "" if nothing is missing.
func nextStep(s verb.Setup, w choice.WhichAnswer, l accounts.ListAnswer) string {
	outside := filepath.Join(s.SharedHome(), "auth.json")
	_, free := login.OfNone(outside, s.Store.Accounts) // codex has it without an account: often it was there before swop
	switch {
	case w.NoCodex != nil:
		return append(say.Hints(w.NoCodex), w.NoCodex.Error())[0]
	case w.Label != "" && !w.Exists:
		return "codex swop add " + say.ShellQuote(w.Label)
	case w.Label != "" && w.Login.Mode == "none":
		return "codex swop login " + say.ShellQuote(w.Label)
	case free:
		label := "personal"
		for slices.ContainsFunc(l.Accounts, func(e accounts.ListEntry) bool { return e.Key == label }) {
			label += "-2"
		}
		return "codex swop add " + label + " --import " + say.ShellPath(s.Home, outside)
	case len(l.Accounts) == 0:
		return "codex swop add work"
	case w.Label == "":
		return "codex swop use " + say.ShellQuote(l.Accounts[0].Label)
	}
	return ""
}
