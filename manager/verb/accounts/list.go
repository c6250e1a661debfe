package accounts

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/process"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/shim"
)

func List(call *verb.Call) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the accounts",
		Long:    "List the accounts, the one that was used last first. The one that codex would run as here is marked.",
		Example: verb.Example("codex swop list", "codex swop list --json"),
		Args:    verb.Takes(0),
		RunE: verb.With(call.Open, func(s verb.Setup, _ []string) error {
			l, err := list(s)
			if err == nil {
				err = verb.Print(call, l, showList)
			}
			if err == nil {
				err = l.Unread()
			}
			return err
		}),
	}
	call.JSONFlag(cmd)
	return cmd
}

// ListAnswer is the answer of the verb, as --json prints it: accounts by key.
type ListAnswer struct {
	SchemaVersion int         `json:"schema_version"`
	Accounts      []ListEntry `json:"accounts"`
}

// ListEntry is an account.
type ListEntry struct {
	Label      string        `json:"label"`
	Key        string        `json:"key"`
	Active     bool          `json:"active"` // codex would run as it here
	InUse      bool          `json:"in_use"`
	State      account.State `json:"state"`
	Policy     string        `json:"policy,omitempty"` // of confinement, "" for none
	Hold       bool          `json:"hold,omitempty"`   // no pool takes it
	Login      login.Login   `json:"login"`
	CreatedAt  time.Time     `json:"created_at"`
	LastUsedAt *time.Time    `json:"last_used_at"`      // null: never
	Problem    string        `json:"problem,omitempty"` // why the account, or its use, cannot be read
}

func list(s verb.Setup) (ListAnswer, error) {
	choice, err := s.Here()
	if err != nil {
		say.Error(s.Stderr, err)
	}
	for _, text := range s.ElsewhereTexts() {
		s.Say("%s", text)
	}
	for _, stray := range s.Store.Strays(s.Settings) {
		say.Error(s.Stderr, stray) // a name in config.toml that no account has
	}
	return Entries(s, choice)
}

// Entries describes all accounts. choice is the account that codex would run as here.
func Entries(s verb.Setup, choice shim.Choice) (ListAnswer, error) {
	var accounts, readable []account.Account
	var errs []error
	err := s.Store.Each(func(a account.Account, err error) {
		if accounts, errs = append(accounts, a), append(errs, err); err == nil {
			readable = append(readable, a)
		}
	})
	if err != nil {
		return ListAnswer{}, err
	}
	survey, err := process.TakeSurvey()
	if err != nil {
		return ListAnswer{}, err
	}
	active, _ := config.Key(choice.Label) // none is active where there is no label
	logins := s.Logins(readable)
	list := make([]ListEntry, len(accounts))
	disk.Parallel(len(accounts), func(i int) {
		acct := accounts[i]
		list[i] = ListEntry{Label: acct.Key, Key: acct.Key, Active: acct.Key == active, Login: login.Login{Mode: "unknown"}}
		if errs[i] != nil {
			return
		}
		var use process.Use
		use, errs[i] = survey.InUse(acct.CodexHome(), s.Store.LockFile(acct.Key))
		list[i].describe(acct, logins[acct.Key])
		list[i].InUse, list[i].Hold = use.Any(), s.Settings.Accounts[acct.Key].Hold
	})
	for i, err := range errs {
		if err != nil {
			say.Error(s.Stderr, err)
			list[i].Problem = err.Error()
		}
	}
	return ListAnswer{1, list}, nil
}

// Unread returns the exit status of an answer in which an account has a problem, nil without one.
func (l ListAnswer) Unread() error {
	if slices.ContainsFunc(l.Accounts, func(e ListEntry) bool { return e.Problem != "" }) {
		return verb.Exited(verb.StatusFailed)
	}
	return nil
}

func (e *ListEntry) describe(acct account.Account, login login.Login) {
	m := acct.Meta
	e.Label, e.State, e.Policy, e.Login, e.CreatedAt = m.Label, m.State, m.Confine, login, m.CreatedAt
	if !m.LastUsedAt.IsZero() {
		e.LastUsedAt = &m.LastUsedAt
	}
}

// showList prints the table for people.
func showList(call *verb.Call, l ListAnswer) error {
	if len(l.Accounts) == 0 {
		call.Say("there are no accounts yet")
		call.Say("hint: codex swop add work")
		return nil
	}
	for _, e := range l.Accounts {
		if e.Login.Changed {
			call.Say("%s", e.Login.ChangedText(e.Label))
		}
	}
	return call.Show(listLines(call, l))
}

// held is the cell for an account that config.toml puts on hold.
var held = map[bool]string{true: "on hold"}

// ByUse returns the accounts: those in use first, then those that were used last.
func ByUse(call *verb.Call, l ListAnswer) []ListEntry {
	now := call.Now()
	return slices.SortedStableFunc(slices.Values(l.Accounts), func(x, y ListEntry) int { return cmp.Compare(y.lastUse(now), x.lastUse(now)) })
}

func listLines(call *verb.Call, l ListAnswer) []string {
	now, list := call.Now(), ByUse(call, l)
	columns := []terminal.Column{
		terminal.NewColumn(" ", list, func(e ListEntry) string { return terminal.Mark(e.Active) }),
		terminal.NewColumn("ACCOUNT", list, func(e ListEntry) string { return e.Label }),
		terminal.NewColumn("LOGIN", list, func(e ListEntry) string { return e.Login.Text() }),
	}
	columns = append(columns, terminal.Filled(
		terminal.NewColumn("STATE", list, func(e ListEntry) string { return strings.TrimPrefix(string(e.State), string(account.StateShared)) }),
		terminal.NewColumn("POOLS", list, func(e ListEntry) string { return held[e.Hold] }),
		terminal.NewColumn("CONFINED", list, func(e ListEntry) string { return e.Policy }),
	)...)
	return call.Table(append(columns, terminal.NewColumn("LAST USED", list, func(e ListEntry) string { return e.Used(now) })))
}

// Used returns the cell for the last use of the account.
func (e ListEntry) Used(now time.Time) string {
	switch {
	case e.Problem != "":
		return "cannot be read"
	case e.InUse:
		return "in use now"
	}
	return terminal.Ago(now, e.LastUsedAt)
}

// lastUse returns the second in which the account was used last: the next one while it is in use, 0 for never.
func (e ListEntry) lastUse(now time.Time) int64 {
	switch {
	case e.InUse:
		return now.Unix() + 1
	case e.LastUsedAt != nil:
		return e.LastUsedAt.Unix()
	}
	return 0
}
