package accounts

import (
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"swop/account"
	"swop/account/login"
	"swop/account/process"
	"swop/config"
	"swop/config/file"
	"swop/manager/doctor"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/manager/verb/limits"
	"swop/say"
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
		RunE:    verb.Answer(call.Open, list, showList),
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
	Label      string             `json:"label"`
	Key        string             `json:"key"`
	Active     bool               `json:"active"` // codex would run as it here
	InUse      bool               `json:"in_use"`
	State      account.State      `json:"state"`
	Policy     string             `json:"policy,omitempty"` // of confinement, "" for none
	Login      login.Login        `json:"login"`
	CreatedAt  time.Time          `json:"created_at"`
	LastUsedAt *time.Time         `json:"last_used_at"` // null: never
	Usage      *limits.UsageEntry `json:"usage,omitempty"`
	Bound      []string           `json:"bound,omitempty"` // the directories that are bound to it

	bound string // for people
}

func list(s verb.Setup) (ListAnswer, error) {
	choice, err := s.Here()
	if err != nil {
		say.Error(s.Stderr, err)
	}
	s.SayStrays()
	if o, ok := doctor.FindOutside(s.Invocation, s.Store); ok {
		s.Say("%s", o.Text())
		s.Say("hint: %s", o.Command)
	}
	return Entries(s, choice)
}

// Entries describes all accounts, as many at a time as there are processors. choice is what codex would run as here.
func Entries(s verb.Setup, choice shim.Choice) (ListAnswer, error) {
	accounts, err := s.Store.Accounts()
	if err != nil {
		say.Error(s.Stderr, err)
	}
	survey, err := process.TakeSurvey()
	if err != nil {
		return ListAnswer{}, err
	}
	active, _ := config.Key(choice.Label)      // none is active where there is no label
	selector, _ := file.ReadSelector(s.Places) // the choice of an account reports what is wrong with it
	usesKeyring := sync.OnceValue(func() bool { return login.UsesKeyring(s.Root.SharedHome.Path) })
	list, errs := make([]ListEntry, len(accounts)), make([]error, len(accounts))
	var all sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(accounts)) {
		all.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(accounts); i = next.Add(1) - 1 {
				var use process.Use
				acct := accounts[i]
				use, errs[i] = survey.InUse(acct.CodexHome(), s.Store.LockFile(acct.Key))
				list[i] = entryOf(acct, login.OfOr(acct, usesKeyring))
				list[i].Policy, _ = s.Policy("", &s.Settings, acct.Key) // which reports a wrong SWOP_CONFINE
				list[i].InUse, list[i].Active = use.Any(), acct.Key == active
				list[i].Bound = boundTo(selector, acct.Key)
				list[i].bound = boundText(s, list[i].Bound)
				list[i].Usage = limits.KeptUsage(s, acct, list[i].Login.Mode)
			}
		})
	}
	all.Wait()
	return ListAnswer{1, list}, errors.Join(errs...)
}

// boundTo returns the directories that are bound to the account with the key.
func boundTo(selector config.Selector, key string) (dirs []string) {
	for _, b := range selector.Directory {
		if verb.HasKey(b.Account, key) {
			dirs = append(dirs, b.Path)
		}
	}
	return dirs
}

// boundText names the directory, or counts the directories.
func boundText(s verb.Setup, dirs []string) string {
	if len(dirs) != 1 {
		return strings.TrimPrefix(terminal.Counted(len(dirs), "directory", "directories"), "0 directories")
	}
	if rest, ok := strings.CutPrefix(dirs[0], s.Home+string(filepath.Separator)); ok {
		return "~/" + rest
	}
	return dirs[0]
}

func entryOf(acct account.Account, login login.Login) ListEntry {
	m := acct.Meta
	e := ListEntry{Label: m.Label, Key: acct.Key, State: m.State, Login: login, CreatedAt: m.CreatedAt.Time()}
	if used := m.LastUsedAt.Time(); !used.IsZero() {
		e.LastUsedAt = &used
	}
	return e
}

// showList prints the table for people.
func showList(call *verb.Call, l ListAnswer) error {
	if len(l.Accounts) == 0 {
		call.Say("there are no accounts yet")
		call.Say("hint: codex swop add work")
		return nil
	}
	return call.Show(ListLines(call, l, call.Width()))
}

// ListLines returns the table in at most width columns, or 80 if that is less, its titles first: accounts in use, then those that were used last.
func ListLines(call *verb.Call, l ListAnswer, width int) []string {
	l.Accounts = slices.SortedStableFunc(slices.Values(l.Accounts), func(x, y ListEntry) int { return slices.Compare(y.Rank()[1:], x.Rank()[1:]) })
	lines := call.Table(listColumns(call, l, max(width, terminal.Usual)))
	for i, e := range l.Accounts {
		if e.Active {
			lines[i+1] = call.Paint(terminal.Green, lines[i+1])
		}
	}
	return lines
}

const (
	leastLogin = 20 // the width that logins are cut to at most: an address is recognized by its beginning
	mostBound  = 30 // of a bound directory, which is recognized by its end
)

// listColumns returns the columns that fit in width, with logins cut if needed. The least important are left out first.
func listColumns(call *verb.Call, l ListAnswer, width int) []terminal.Column {
	now := call.Now()
	mark := terminal.NewColumn(" ", l.Accounts, func(e ListEntry) string { return terminal.Mark(e.Active) })
	label := terminal.NewColumn("ACCOUNT", l.Accounts, func(e ListEntry) string { return e.Label })
	login := terminal.NewColumn("LOGIN", l.Accounts, func(e ListEntry) string { return e.Login.Text() })
	used := terminal.NewColumn("LAST USED", l.Accounts, func(e ListEntry) string { return e.used(now) })
	made := terminal.NewColumn("CREATED", l.Accounts, func(e ListEntry) string { return terminal.Ago(now, &e.CreatedAt) })
	left := terminal.Filled(terminal.NewColumn("LEFT", l.Accounts, func(e ListEntry) string { return e.Usage.Left() }))
	states := []terminal.Column{terminal.NewColumn("STATE", l.Accounts, func(e ListEntry) string { return string(e.State) })}
	if !slices.ContainsFunc(l.Accounts, func(e ListEntry) bool { return e.State != account.StateShared }) {
		states = nil
	}
	room := mostBound
	if width == terminal.Unbounded {
		room = terminal.Unbounded
	}
	states = append(states, terminal.Filled(
		terminal.NewColumn("CONFINED", l.Accounts, func(e ListEntry) string { return e.Policy }),
		terminal.NewColumn("BOUND", l.Accounts, func(e ListEntry) string { return terminal.CutStart(say.Printable(e.bound), room) }),
	)...)
	full := login.Width()
	var columns []terminal.Column
	for _, layout := range []struct {
		right []terminal.Column // of the login
		least int               // the width that the login is cut to at most
	}{
		{slices.Concat(left, states, []terminal.Column{used, made}), full},
		{slices.Concat(left, states, []terminal.Column{used}), leastLogin},
		{slices.Concat(left, []terminal.Column{used}), leastLogin},
		{[]terminal.Column{used}, leastLogin},
		{nil, 0}, // beside the longest label
	} {
		room := width - terminal.TableWidth(slices.Concat([]terminal.Column{mark, label, {}}, layout.right))
		login.Most = max(room, 1)
		login.Cells = within(l.Accounts, login.Most)
		columns = slices.Concat([]terminal.Column{mark, label, login}, layout.right)
		if room >= min(layout.least, full) {
			break
		}
	}
	return columns
}

// within returns the logins in at most width columns, with plan and organization if enough of the address fits before it.
func within(list []ListEntry, width int) []string {
	return terminal.NewColumn("", list, func(e ListEntry) string {
		text, about := e.Login.Text(), e.Login.About()
		if room := width - terminal.Cells(about); terminal.Cells(text) > width && about != "" && room >= leastLogin {
			return terminal.Cut(e.Login.Email, room) + about
		}
		return text
	}).Cells
}

func (e ListEntry) used(now time.Time) string {
	if e.InUse {
		return "in use now"
	}
	return terminal.Ago(now, e.LastUsedAt)
}

// Rank returns how much an entry matters now, most important first.
func (e ListEntry) Rank() []int64 {
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
