//go:build unix

package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"swop/account"
	"swop/config"
	"swop/limits/pool"
	limits "swop/limits/usage"
	"swop/manager/terminal"
	"swop/say"
	"swop/shim"
)

func (a *app) pickCommand() *cobra.Command {
	var refresh, asJSON bool
	cmd := &cobra.Command{
		Use:   "pick [@POOL]",
		Short: "Show which account a pool would take here, and why",
		Long: "Show which account a pool would take in this directory, and what is known of each of its accounts. Nothing is changed. The pool is the\n" +
			"one in force here, else auto. The exit status is 6 if no account has room.",
		Example: example("codex swop pick", "codex swop pick @acme --refresh", "codex swop pick --json"),
		Args:    takes(0, "@POOL"),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.pickFrom(args, refresh)
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(a.Stdout, p)
			} else {
				err = a.showPick(p)
			}
			if err == nil && (p.Reason == pool.Soonest || p.Reason == pool.Nobody) {
				err = exited(statusNobody)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&refresh, "refresh", false, "ask codex first what is left of each account's limits")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// pickAnswer is the answer of the verb, as --json prints it: accounts in the order of the pool.
type pickAnswer struct {
	SchemaVersion int         `json:"schema_version"`
	Pool          string      `json:"pool"`
	Strategy      string      `json:"strategy"`
	Leave         int         `json:"leave"`
	Label         string      `json:"label"` // "" for none
	Key           string      `json:"key"`
	Reason        pool.Reason `json:"reason"`
	FreeAt        *time.Time  `json:"free_at,omitempty"` // where none has room
	Accounts      []pickEntry `json:"accounts"`
	Missing       []string    `json:"missing,omitempty"` // keys that the pool names, of accounts that do not exist
}

type pickEntry struct {
	usageEntry
	Room  pool.Room  `json:"room"`
	Until *time.Time `json:"until,omitempty"` // of a full one
}

// pickFrom returns what the pool that args name would take, or else the one in force.
func (a *app) pickFrom(args []string, refresh bool) (pickAnswer, error) {
	s, err := a.open()
	if err != nil {
		return pickAnswer{}, err
	}
	key, err := a.poolHere(s, args)
	if err != nil {
		return pickAnswer{}, err
	}
	p, err := limits.PoolNamed(s.store, s.settings, key)
	if err != nil {
		return pickAnswer{}, err
	}
	if refresh {
		if err := a.refresh(s, p); err != nil {
			return pickAnswer{}, err
		}
	}
	all, err := a.survey(s, p)
	if err != nil {
		return pickAnswer{}, err
	}
	return a.describePick(all, key, p), nil
}

// poolHere returns the key of the pool that args name, else of the one in force here, else auto.
func (a *app) poolHere(s setup, args []string) (string, error) {
	if len(args) == 1 {
		key, ok := config.PoolOf(args[0])
		if !ok {
			return "", say.WithHint(usage("%q names no pool", args[0]), "name one as @POOL, or leave it out")
		}
		return key, nil
	}
	choice, err := a.chooseOrPool(s)
	if err == nil && choice.Pool != "" {
		return choice.Pool, nil
	}
	return config.AutoPool, err
}

// refresh asks codex for the limits of the pool's accounts.
func (a *app) refresh(s setup, p config.Pool) error {
	q, err := a.asker(s, usageFlags{timeout: usageTimeout})
	if err != nil {
		return err
	}
	all, err := limits.Survey(s.store, s.SharedHome(), a.now())
	if err != nil {
		return err
	}
	var accounts []account.Account
	pool.Each(p, all.Known().Accounts, func(k *pool.Account) { accounts = append(accounts, all.Find(k.Key).Account) })
	_, err = q.readAll(accounts)
	a.publish(s)
	return err
}

func (a *app) describePick(all limits.AllAccounts, key string, p config.Pool) pickAnswer {
	now, known := a.now(), all.Known().Accounts
	d := all.Choose(p, shim.PoolDir())
	answer := pickAnswer{SchemaVersion: 1, Pool: key, Strategy: p.Strategy, Leave: p.Leave, Key: d.Key, Reason: d.Reason, Accounts: []pickEntry{}}
	if one := all.Find(d.Key); one != nil {
		answer.Label = one.Meta.Label
	}
	if d.Reason == pool.Soonest {
		answer.FreeAt = instant(d.FreeAt)
	}
	pool.Each(p, known, func(k *pool.Account) {
		one := all.Find(k.Key)
		room, until := k.Room(p.Leave, account.At(now))
		e := pickEntry{usageEntry: newUsageEntry(one.Account, one.Login.Mode, one.Entry, now), Room: room}
		if room == pool.Full {
			e.Until = instant(until)
		}
		answer.Accounts = append(answer.Accounts, e)
	})
	for _, key := range p.Accounts {
		if all.Find(key) == nil {
			answer.Missing = append(answer.Missing, key)
		}
	}
	return answer
}

// instant returns the time for JSON.
func instant(v account.Time) *time.Time {
	t := v.Time()
	return &t
}

// showPick prints the answer for people.
func (a *app) showPick(p pickAnswer) error {
	lines := terminal.Fold(say.Printable(a.pickSentence(p)), a.Width(), 0)
	if len(p.Accounts) > 0 {
		lines = append(append(lines, ""), a.pickLines(p)...)
	}
	for _, key := range p.Missing {
		lines = append(lines, fmt.Sprintf("the pool names %q, which does not exist", key))
	}
	return a.Show(lines)
}

func (a *app) pickSentence(p pickAnswer) string {
	switch p.Reason {
	case pool.Nobody:
		if len(p.Accounts)+len(p.Missing) == 0 {
			return fmt.Sprintf("the pool %q takes no account: none has a ChatGPT login", p.Pool)
		}
		return fmt.Sprintf("the pool %q takes no account: none is logged in", p.Pool)
	case pool.Soonest:
		return fmt.Sprintf("the pool %q takes %q: none has room, and it has room again first, %s", p.Pool, p.Label, limits.When(*p.FreeAt, a.now()))
	}
	return fmt.Sprintf("the pool %q takes %q: %s", p.Pool, p.Label, poolReason(p.Reason))
}

func (a *app) pickLines(p pickAnswer) []string {
	now := a.now()
	list := make([]usageEntry, len(p.Accounts))
	for i, e := range p.Accounts {
		list[i] = e.usageEntry
	}
	columns := append([]terminal.Column{
		terminal.NewColumn(" ", p.Accounts, func(e pickEntry) string { return terminal.Mark(e.Key == p.Key) }),
	}, a.usageColumns(list)...)
	columns = append(columns, terminal.NewColumn("ROOM", p.Accounts, func(e pickEntry) string { return e.room(now) }))
	if terminal.TableWidth(columns) > max(a.Width(), terminal.Usual) {
		columns = []terminal.Column{columns[0], columns[1], columns[len(columns)-1]}
	}
	return a.Table(columns)
}

// room says what room an account has, for people.
func (e pickEntry) room(now time.Time) string {
	switch e.Room {
	case pool.Full:
		return "none, again " + limits.When(*e.Until, now)
	case pool.Unknown:
		return "not known"
	case pool.LoggedOut:
		return "not logged in"
	case pool.Denied:
		return "none: log in again"
	}
	return "yes"
}
