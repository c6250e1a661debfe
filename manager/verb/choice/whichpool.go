package choice

import (
	"fmt"
	"time"

	"swop/internal/account"
	"swop/internal/limits/pool"
	"swop/internal/limits/usage"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/manager/verb/limits"
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
	limits.UsageEntry
	Room  pool.Room  `json:"room"`
	Until *time.Time `json:"until,omitempty"` // of a full one
}

// describePool describes the pool of the choice, nil where there is none.
func describePool(s verb.Setup, choice shim.Choice) (*poolAnswer, error) {
	p, ok := s.Settings.Pool(choice.Pool)
	if choice.Pool == "" || !ok {
		return nil, nil //nolint:nilnil // there is nothing to describe
	}
	all, err := limits.Survey(s, p)
	if err != nil {
		return nil, err
	}
	now := s.Now()
	answer := &poolAnswer{Strategy: p.Strategy, Leave: p.Leave, Accounts: []poolEntry{}}
	if choice.Picked.Reason == pool.Soonest {
		answer.FreeAt = new(choice.Picked.FreeAt.Time())
	}
	pool.Each(p, all.Known().Accounts, func(k *pool.Account) {
		one := all.Find(k.Key)
		room, until := k.Room(p.Leave, account.At(now))
		e := poolEntry{UsageEntry: limits.NewUsageEntry(one.Account, one.Login.Mode, one.Entry, now), Room: room}
		if room == pool.Full {
			e.Until = new(until.Time())
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

// lines returns a table of the pool's accounts, in which the one with the key is marked, and the names of those that are missing.
func (p *poolAnswer) lines(call *verb.Call, key string) []string {
	now := call.Now()
	lines := append([]string{""}, call.Table([]terminal.Column{
		terminal.NewColumn(" ", p.Accounts, func(e poolEntry) string { return terminal.Mark(e.Key == key) }),
		terminal.NewColumn("ACCOUNT", p.Accounts, func(e poolEntry) string { return e.Label }),
		terminal.NewColumn("LEFT", p.Accounts, func(e poolEntry) string { return e.Left() }),
		terminal.NewColumn("ROOM", p.Accounts, func(e poolEntry) string { return e.room(now) }),
	})...)
	for _, key := range p.Missing {
		lines = append(lines, fmt.Sprintf("the pool names %q, which does not exist", key))
	}
	return lines
}

// room says what room an account has, for people.
func (e poolEntry) room(now time.Time) string {
	switch e.Room {
	case pool.Full:
		return "none, again " + usage.When(*e.Until, now)
	case pool.Unknown:
		return "not known"
	case pool.LoggedOut:
		return "not logged in"
	case pool.Denied:
		return "none: log in again"
	}
	return "yes"
}
