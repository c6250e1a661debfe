//go:build unix

package main

import (
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"swop/config"
	"swop/manager"
	"swop/manager/process"
	"swop/shim"
)

func (a *app) listCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the accounts",
		Long:    "List the accounts: the one that codex would run as here is marked.",
		Example: example("codex swop list", "codex swop list --json"),
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			l, err := a.list()
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(a.stdout, l)
			}
			return a.showList(l)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// listAnswer is the answer of the verb, as --json prints it: accounts by key.
type listAnswer struct {
	SchemaVersion int         `json:"schema_version"`
	Accounts      []listEntry `json:"accounts"`
}

type listEntry struct {
	Label      string        `json:"label"`
	Key        string        `json:"key"`
	Active     bool          `json:"active"` // codex would run as it here
	InUse      bool          `json:"in_use"`
	State      manager.State `json:"state"`
	Login      listLogin     `json:"login"`
	CreatedAt  time.Time     `json:"created_at"`
	LastUsedAt *time.Time    `json:"last_used_at"` // null: never
}

type listLogin struct {
	Mode  string `json:"mode"`
	Email string `json:"email,omitempty"`
	Plan  string `json:"plan,omitempty"`
}

func (a *app) list() (listAnswer, error) {
	answer := listAnswer{SchemaVersion: 1, Accounts: []listEntry{}}
	s, err := a.open()
	if err != nil {
		return answer, err
	}
	accounts, err := s.store.Accounts()
	if err != nil {
		shim.Complain(a.stderr, err)
	}
	choice, err := a.choose(s)
	if err != nil {
		shim.Complain(a.stderr, err)
	}
	active, _ := config.Key(choice.Label) // none is active where there is no label
	for _, account := range accounts {
		entry, err := a.entry(s, account)
		if err != nil {
			return answer, err
		}
		entry.Active = account.Key == active
		answer.Accounts = append(answer.Accounts, entry)
	}
	return answer, nil
}

func (a *app) entry(s scene, account manager.Account) (listEntry, error) {
	m := account.Meta
	login := account.Login(s.Root.SharedHome.Path)
	e := listEntry{Label: m.Label, Key: account.Key, State: m.State, Login: listLogin(login), CreatedAt: m.CreatedAt}
	if !m.LastUsedAt.IsZero() {
		e.LastUsedAt = &m.LastUsedAt
	}
	use, err := process.InUse(account.CodexHome(), s.store.LockFile(account.Key))
	e.InUse = use.Any()
	return e, err
}

// showList prints the table for people.
func (a *app) showList(l listAnswer) error {
	if len(l.Accounts) == 0 {
		a.say("there are no accounts yet")
		a.say("hint: codex swop add work")
		return nil
	}
	t := table.NewWriter()
	t.SetOutputMirror(nil)
	t.SetStyle(plainTable())
	t.AppendHeader(table.Row{"", "ACCOUNT", "LOGIN", "IN USE", "LAST USED", "CREATED"})
	for _, e := range l.Accounts {
		t.AppendRow(table.Row{mark(e.Active), e.Label, e.Login.text(), yes(e.InUse), a.ago(e.LastUsedAt), a.ago(&e.CreatedAt)})
	}
	_, err := io.WriteString(a.stdout, t.Render()+"\n")
	return err
}

func plainTable() table.Style {
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	return style
}

func (l listLogin) text() string {
	switch {
	case l.Email != "" && l.Plan != "":
		return fmt.Sprintf("%s (%s)", l.Email, l.Plan)
	case l.Email != "":
		return l.Email
	}
	return l.Mode
}

func mark(active bool) string {
	if active {
		return "*"
	}
	return ""
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// ago is the time since t in its largest unit.
func (a *app) ago(t *time.Time) string {
	if t == nil {
		return "never"
	}
	d := a.now().Sub(*t)
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}
