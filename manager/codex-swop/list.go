//go:build unix

package main

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"swop/account"
	"swop/account/login"
	"swop/account/process"
	"swop/config"
	"swop/config/file"
	"swop/manager/doctor"
	"swop/say"
	"swop/shim"
)

func (a *app) listCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the accounts",
		Long:    "List the accounts, the one that was used last first. The one that codex would run as here is marked.",
		Example: example("codex swop list", "codex swop list --json"),
		Args:    takes(0),
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
	State      account.State `json:"state"`
	Policy     string        `json:"policy,omitempty"` // of confinement, "" for none
	Login      login.Login   `json:"login"`
	CreatedAt  time.Time     `json:"created_at"`
	LastUsedAt *time.Time    `json:"last_used_at"` // null: never
	Usage      *usageEntry   `json:"usage,omitempty"`
	Bound      []string      `json:"bound,omitempty"` // the directories that are bound to it

	bound string // for people
}

func (a *app) list() (listAnswer, error) {
	s, err := a.open()
	if err != nil {
		return listAnswer{}, err
	}
	choice, err := a.choose(s)
	if err != nil {
		say.Error(a.stderr, err)
	}
	a.sayStrays(s)
	if o, ok := doctor.FindOutside(s.Invocation, s.store); ok {
		a.say("%s", o.Text())
		a.say("hint: %s", o.Command)
	}
	return a.entries(s, choice)
}

// entries describes all accounts, as many at a time as there are processors. choice is what codex would run as here.
func (a *app) entries(s setup, choice shim.Choice) (listAnswer, error) {
	accounts, err := s.store.Accounts()
	if err != nil {
		say.Error(a.stderr, err)
	}
	survey, err := process.TakeSurvey()
	if err != nil {
		return listAnswer{}, err
	}
	active, _ := config.Key(choice.Label)      // none is active where there is no label
	selector, _ := file.ReadSelector(s.Places) // what is wrong with it is said where the account is chosen
	usesKeyring := sync.OnceValue(func() bool { return login.UsesKeyring(s.Root.SharedHome.Path) })
	list, errs := make([]listEntry, len(accounts)), make([]error, len(accounts))
	var all sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(accounts)) {
		all.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(accounts); i = next.Add(1) - 1 {
				var use process.Use
				acct := accounts[i]
				use, errs[i] = survey.InUse(acct.CodexHome(), s.store.LockFile(acct.Key))
				list[i] = entryOf(acct, login.OfOr(acct, usesKeyring))
				list[i].Policy, _ = s.Policy("", &s.settings, acct.Key) // a wrong SWOP_CONFINE is said by which
				list[i].InUse, list[i].Active = use.Any(), acct.Key == active
				list[i].Bound = boundTo(selector, acct.Key)
				list[i].bound = s.boundText(list[i].Bound)
				list[i].Usage = a.keptUsage(s, acct, list[i].Login.Mode)
			}
		})
	}
	all.Wait()
	return listAnswer{1, list}, errors.Join(errs...)
}

// boundTo returns the directories that are bound to the account with the key.
func boundTo(selector config.Selector, key string) (dirs []string) {
	for _, b := range selector.Directory {
		if hasKey(b.Account, key) {
			dirs = append(dirs, b.Path)
		}
	}
	return dirs
}

// boundText names the directory, or counts the directories.
func (s setup) boundText(dirs []string) string {
	if len(dirs) != 1 {
		return strings.TrimPrefix(counted(len(dirs), "directory", "directories"), "0 directories")
	}
	if rest, ok := strings.CutPrefix(dirs[0], s.Home+"/"); ok {
		return "~/" + rest
	}
	return dirs[0]
}

func entryOf(acct account.Account, login login.Login) listEntry {
	m := acct.Meta
	e := listEntry{Label: m.Label, Key: acct.Key, State: m.State, Login: login, CreatedAt: m.CreatedAt.Time()}
	if used := m.LastUsedAt.Time(); !used.IsZero() {
		e.LastUsedAt = &used
	}
	return e
}

// showList prints the table for people.
func (a *app) showList(l listAnswer) error {
	if len(l.Accounts) == 0 {
		a.say("there are no accounts yet")
		a.say("hint: codex swop add work")
		return nil
	}
	return a.show(a.listLines(l, a.width()))
}

// listLines returns the table in at most width columns, its titles first.
func (a *app) listLines(l listAnswer, width int) []string {
	l.Accounts = slices.Clone(l.Accounts)
	slices.SortStableFunc(l.Accounts, byLastUse)
	columns := a.listColumns(l, width)
	if tableWidth(columns) > width {
		return a.listNarrow(l, width)
	}
	lines := layTable(columns)
	lines[0] = a.paint(faint, lines[0])
	for i, e := range l.Accounts {
		lines[i+1] = a.marked(e, lines[i+1])
	}
	return lines
}

// byLastUse puts accounts in use first, then those that were used last.
func byLastUse(x, y listEntry) int {
	used := func(e listEntry) (now, last int64) {
		if e.InUse {
			now = 1
		}
		if e.LastUsedAt != nil {
			last = e.LastUsedAt.Unix()
		}
		return now, last
	}
	xNow, xLast := used(x)
	yNow, yLast := used(y)
	return cmp.Or(cmp.Compare(yNow, xNow), cmp.Compare(yLast, xLast))
}

// The least widths that logins are cut to: an address is recognized by its beginning.
const (
	leastLogin = 20
	shortLogin = 8
	mostBound  = 30 // of a bound directory, which is recognized by its end
)

// listColumns returns the columns that fit in width, with logins cut if needed. The least important are left out first.
func (a *app) listColumns(l listAnswer, width int) []column {
	now := a.now()
	mark := newColumn(" ", l.Accounts, func(e listEntry) string { return mark(e.Active) })
	label := newColumn("ACCOUNT", l.Accounts, func(e listEntry) string { return e.Label })
	login := newColumn("LOGIN", l.Accounts, func(e listEntry) string { return e.Login.Text() })
	used := newColumn("LAST USED", l.Accounts, func(e listEntry) string { return e.used(now) })
	made := newColumn("CREATED", l.Accounts, func(e listEntry) string { return ago(now, &e.CreatedAt) })
	left := []column{newColumn("LEFT", l.Accounts, func(e listEntry) string { return e.Usage.left() })}
	if !slices.ContainsFunc(l.Accounts, func(e listEntry) bool { return e.Usage != nil }) {
		left = nil
	}
	states := []column{newColumn("STATE", l.Accounts, func(e listEntry) string { return string(e.State) })}
	if !slices.ContainsFunc(l.Accounts, func(e listEntry) bool { return e.State != account.StateShared }) {
		states = nil
	}
	if slices.ContainsFunc(l.Accounts, func(e listEntry) bool { return e.Policy != "" }) {
		states = append(states, newColumn("CONFINED", l.Accounts, func(e listEntry) string { return e.Policy }))
	}
	if slices.ContainsFunc(l.Accounts, func(e listEntry) bool { return e.bound != "" }) {
		room := mostBound
		if width == unbounded {
			room = unbounded
		}
		states = append(states, newColumn("BOUND", l.Accounts, func(e listEntry) string { return cutStart(say.Printable(e.bound), room) }))
	}
	full := login.width()
	for _, layout := range []struct {
		right []column // of the login
		least int      // the width that the login is cut to at most
	}{
		{slices.Concat(left, states, []column{used, made}), full},
		{slices.Concat(left, states, []column{used}), leastLogin},
		{slices.Concat(left, []column{used}), leastLogin},
		{[]column{used}, leastLogin},
		{nil, shortLogin},
	} {
		room := width - tableWidth(slices.Concat([]column{mark, label, {}}, layout.right))
		if login.most = max(room, 1); room >= min(layout.least, full) {
			login.cells = within(l.Accounts, login.most)
			return slices.Concat([]column{mark, label, login}, layout.right)
		}
	}
	return []column{mark, label}
}

// within returns the logins in at most width columns, with plan and organization if enough of the address fits before it.
func within(list []listEntry, width int) []string {
	return newColumn("", list, func(e listEntry) string {
		text, about := e.Login.Text(), e.Login.About()
		if room := width - cellWidth(about); cellWidth(text) > width && about != "" && room >= leastLogin {
			return cut(e.Login.Email, room) + about
		}
		return text
	}).cells
}

// listNarrow returns a list without columns, in which no label is cut.
func (a *app) listNarrow(l listAnswer, width int) []string {
	lines := []string{a.paint(faint, cut("ACCOUNT", width))}
	for _, e := range l.Accounts {
		first, next := "  ", "  "
		if e.Active {
			first = "* "
		}
		if width <= 2*len(first) {
			first, next = "", ""
		}
		for part := range strings.SplitSeq(text.WrapHard(e.Label, max(width-len(next), 1)), "\n") {
			lines = append(lines, a.marked(e, first+strings.TrimRight(part, " ")))
			first = next
		}
	}
	return lines
}

// marked returns a line of the entry, in green if codex would run as it.
func (a *app) marked(e listEntry, line string) string {
	if e.Active {
		return a.paint(green, line)
	}
	return line
}

func (e listEntry) used(now time.Time) string {
	if e.InUse {
		return "in use now"
	}
	return ago(now, e.LastUsedAt)
}

func mark(active bool) string {
	if active {
		return "*"
	}
	return ""
}
