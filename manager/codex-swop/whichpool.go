//go:build unix

package main

import (
	"fmt"
	"time"

	"swop/account"
	"swop/limits/pool"
	limits "swop/limits/usage"
	"swop/manager/terminal"
	"swop/shim"
)

// poolAnswer is what which says of the pool that an account is taken from: its accounts in their order, with what is known of each.
type poolAnswer struct {
	Strategy string      `json:"strategy"`
	Leave    int         `json:"leave"`
	FreeAt   *time.Time  `json:"free_at,omitempty"` // where none has room
	Accounts []poolEntry `json:"accounts"`
	Missing  []string    `json:"missing,omitempty"` // keys that the pool names, of accounts that do not exist
}

type poolEntry struct {
	usageEntry
	Room  pool.Room  `json:"room"`
	Until *time.Time `json:"until,omitempty"` // of a full one
}

// describePool describes the pool of the choice, nil where there is none.
func (a *app) describePool(s setup, choice shim.Choice) (*poolAnswer, error) {
	p, ok := s.settings.Pool(choice.Pool)
	if choice.Pool == "" || !ok {
		return nil, nil //nolint:nilnil // there is nothing to describe
	}
	all, err := a.survey(s, p)
	if err != nil {
		return nil, err
	}
	now := a.now()
	answer := &poolAnswer{Strategy: p.Strategy, Leave: p.Leave, Accounts: []poolEntry{}}
	if choice.Picked.Reason == pool.Soonest {
		answer.FreeAt = instant(choice.Picked.FreeAt)
	}
	pool.Each(p, all.Known().Accounts, func(k *pool.Account) {
		one := all.Find(k.Key)
		room, until := k.Room(p.Leave, account.At(now))
		e := poolEntry{usageEntry: newUsageEntry(one.Account, one.Login.Mode, one.Entry, now), Room: room}
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
	return answer, nil
}

// instant returns the time for JSON.
func instant(v account.Time) *time.Time {
	t := v.Time()
	return &t
}

// lines returns a table of the pool's accounts, in which the one with the key is marked, and the names of those that are missing.
func (p *poolAnswer) lines(a *app, key string) []string {
	now := a.now()
	list := make([]usageEntry, len(p.Accounts))
	for i, e := range p.Accounts {
		list[i] = e.usageEntry
	}
	columns := append([]terminal.Column{
		terminal.NewColumn(" ", p.Accounts, func(e poolEntry) string { return terminal.Mark(e.Key == key) }),
	}, a.usageColumns(list)...)
	columns = append(columns, terminal.NewColumn("ROOM", p.Accounts, func(e poolEntry) string { return e.room(now) }))
	if terminal.TableWidth(columns) > max(a.Width(), terminal.Usual) {
		columns = []terminal.Column{columns[0], columns[1], columns[len(columns)-1]}
	}
	lines := append([]string{""}, a.Table(columns)...)
	for _, key := range p.Missing {
		lines = append(lines, fmt.Sprintf("the pool names %q, which does not exist", key))
	}
	return lines
}

// room says what room an account has, for people.
func (e poolEntry) room(now time.Time) string {
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
