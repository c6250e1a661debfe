package pool

import (
	"fmt"
	"testing"
	"time"

	"swop/config"
)

// now is the time of the tests; hour and week are from it.
var (
	now  = time.Unix(1_000_000, 0)
	hour = now.Add(time.Hour)
	week = now.Add(7 * 24 * time.Hour)
)

// chat is an account with a ChatGPT login that has used so much of its five hours and its week.
func chat(key string, short, long int) Account {
	return Account{Key: key, Login: ChatGPT, ReadAt: now.Add(-time.Minute), Windows: []Window{{300, short, hour}, {10080, long, week}}}
}

func unread(key string) Account { return Account{Key: key, Login: ChatGPT} }
func out(key string) Account    { return Account{Key: key} }
func refused(key string) Account {
	a := chat(key, 0, 0)
	a.Login = Refused
	return a
}
func key(key string) Account { return Account{Key: key, Login: APIKey} }

func marked(a Account, until time.Time) Account {
	a.BlockedUntil = until
	return a
}

// read returns the account as it was read at a time.
func read(a Account, at time.Time) Account {
	a.ReadAt = at
	return a
}

// Every rule of the choice.
func TestChoose(t *testing.T) {
	auto, _ := (&config.Settings{}).Pool(config.AutoPool)
	named := func(accounts ...string) config.Pool {
		return config.Pool{Accounts: accounts, Strategy: "drain", Leave: 95}
	}
	balance := config.Pool{Strategy: config.Balance, Leave: 95}
	soonest := config.Pool{Strategy: config.Soonest, Leave: 95}
	later := func(key string, week time.Time) Account {
		return Account{Key: key, Login: ChatGPT, ReadAt: now, Windows: []Window{{300, 0, hour}, {10080, 0, week}}}
	}
	held := func(p config.Pool, keys ...string) config.Pool {
		p.Held = keys
		return p
	}
	for _, tt := range []struct {
		name     string
		pool     config.Pool
		accounts []Account
		last     string
		want     Decision
	}{
		{"the first with room", auto, []Account{chat("a", 10, 10), chat("b", 0, 0)}, "", Decision{Key: "a", Reason: First}},
		{"not one at its limit", auto, []Account{chat("a", 95, 10), chat("b", 50, 50)}, "", Decision{Key: "b", Reason: First}},
		{"another limit", config.Pool{Strategy: "drain", Leave: 50}, []Account{chat("a", 50, 0), chat("b", 49, 0)}, "", Decision{Key: "b", Reason: First}},

		{"stays", auto, []Account{chat("a", 10, 10), chat("b", 94, 0)}, "b", Decision{Key: "b", Reason: Stays}},
		{"stays with one that was not read", auto, []Account{chat("a", 10, 10), unread("b")}, "b", Decision{Key: "b", Reason: Stays}},
		{"not with one that is logged out", named("a", "b"), []Account{chat("a", 10, 10), out("b")}, "b", Decision{Key: "a", Reason: First}},
		{"not with an API key", named("k", "a"), []Account{chat("a", 10, 10), key("k")}, "k", Decision{Key: "a", Reason: First}},
		{"not with one that is marked", auto, []Account{chat("a", 10, 10), marked(chat("b", 0, 0), hour)}, "b", Decision{Key: "a", Reason: First}},

		{"a mark", auto, []Account{marked(chat("a", 0, 0), hour), chat("b", 10, 10)}, "", Decision{Key: "b", Reason: First}},
		{"a mark that is over", auto, []Account{marked(chat("a", 0, 0), now), chat("b", 10, 10)}, "", Decision{Key: "a", Reason: First}},
		{"a mark without end", auto, []Account{marked(chat("a", 0, 0), now.Add(40*365*24*time.Hour)), chat("b", 10, 10)}, "", Decision{Key: "a", Reason: First}},

		{"a reset that has passed", auto, []Account{{Key: "a", Login: ChatGPT, ReadAt: now.Add(-2 * time.Hour), Windows: []Window{{300, 100, now}}}}, "", Decision{Key: "a", Reason: First}},
		{"a reading from the future", auto, []Account{read(chat("a", 0, 0), hour), chat("b", 90, 90)}, "", Decision{Key: "b", Reason: First}},

		{"unread before full", auto, []Account{chat("a", 99, 0), unread("b"), unread("c")}, "", Decision{Key: "b", Reason: NotRead}},

		{"API keys are not in auto", auto, []Account{key("k"), chat("a", 99, 0)}, "", Decision{Key: "a", Reason: Soonest, FreeAt: hour}},
		{"API keys by name, after those with room", named("k", "a"), []Account{chat("a", 10, 0), key("k")}, "", Decision{Key: "a", Reason: First}},
		{"API keys by name, before nothing", named("a", "k"), []Account{chat("a", 99, 0), key("k")}, "", Decision{Key: "k", Reason: NotRead}},

		{"a pool's order", named("b", "a"), []Account{chat("a", 10, 0), chat("b", 10, 0)}, "", Decision{Key: "b", Reason: First}},
		{"a pool of missing accounts", named("x"), []Account{chat("a", 10, 0)}, "", Decision{Reason: Nobody}},

		{"balance: the week counts", balance, []Account{chat("a", 0, 50), chat("b", 90, 40), chat("c", 0, 60)}, "", Decision{Key: "b", Reason: LeastUsed}},

		{"the next reset of the week", soonest, []Account{later("a", week), later("b", week.Add(-1e9)), later("c", week.Add(1e9))}, "", Decision{Key: "b", Reason: NextReset}},
		{"not one at its limit", soonest, []Account{chat("a", 95, 0), later("b", week.Add(1e9))}, "", Decision{Key: "b", Reason: NextReset}},
		{"not one whose week has not begun", soonest, []Account{later("a", now), later("b", week)}, "", Decision{Key: "b", Reason: NextReset}},
		{"one that was reset before one that was not read", soonest, []Account{unread("a"), later("b", now)}, "", Decision{Key: "b", Reason: First}},

		{"not one on hold", held(auto, "a"), []Account{chat("a", 0, 0), chat("b", 10, 10)}, "a", Decision{Key: "b", Reason: First}},
		{"not one on hold by name", held(named("a", "b"), "a"), []Account{chat("a", 0, 0), chat("b", 99, 10)}, "", Decision{Key: "b", Reason: Soonest, FreeAt: hour}},
		{"all are on hold", held(auto, "b", "a"), []Account{chat("a", 0, 0), chat("b", 0, 0)}, "a", Decision{Reason: Nobody}},

		{"the soonest", auto, []Account{chat("a", 0, 99), chat("b", 99, 0)}, "", Decision{Key: "b", Reason: Soonest, FreeAt: hour}},
		{"the latest of its own", auto, []Account{chat("a", 99, 99), {Key: "b", Login: ChatGPT, ReadAt: now, Windows: []Window{{10080, 99, hour.Add(1e9)}}}}, "", Decision{Key: "b", Reason: Soonest, FreeAt: hour.Add(1e9)}},
		{"a mark counts for the soonest", auto, []Account{marked(chat("a", 0, 0), hour), chat("b", 99, 99)}, "", Decision{Key: "a", Reason: Soonest, FreeAt: hour}},

		{"one that the server refuses is passed over", auto, []Account{refused("a"), chat("b", 99, 0)}, "a", Decision{Key: "b", Reason: Soonest, FreeAt: hour}},
		{"all are refused", auto, []Account{refused("a"), refused("b")}, "a", Decision{Reason: Nobody}},

		{"nobody is logged in", named("a"), []Account{out("a")}, "a", Decision{Reason: Nobody}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Choose(tt.pool, tt.accounts, tt.last, now); got != tt.want {
				t.Errorf("Choose = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestLast(t *testing.T) {
	var l Last
	for i := range maxLast + 10 {
		l = l.With(Chosen{Dir: fmt.Sprintf("/%d", i), Key: "a"})
	}
	l = l.With(Chosen{Dir: "/500", Key: "b"})
	if len(l) != maxLast || l.Of("/9").Key != "" || l.Of("/10").Key != "a" || l.Of("/500").Key != "b" {
		t.Errorf("%d directories, %q, %q, %q", len(l), l.Of("/9").Key, l.Of("/10").Key, l.Of("/500").Key)
	}
	if l = l.Rename("b", "c"); l.Of("/500").Key != "c" {
		t.Errorf("renamed it is %q", l.Of("/500").Key)
	}
	if l = l.Rename("a", ""); len(l) != 1 {
		t.Errorf("after the removal there are %d", len(l))
	}
}
