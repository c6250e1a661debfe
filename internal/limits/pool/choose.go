package pool

import (
	"cmp"
	"math"
	"slices"
	"time"

	"swop/config"
)

// Login is the kind of an account's login.
type Login string

// The kinds. A login in the keyring counts as one of ChatGPT: its kind cannot be seen.
const (
	NoLogin Login = ""
	ChatGPT Login = "chatgpt"
	APIKey  Login = "api-key"
	Refused Login = "refused" // the server refuses the login in the present auth.json
)

// Account is an account with its last reading.
type Account struct {
	Key          string
	Login        Login
	ReadAt       time.Time
	BlockedUntil time.Time // marked by next, or by the server itself
	Windows      []Window
}

// Window is a span of time with its own limit. Its length identifies a window, never its place in codex's answer.
type Window struct {
	Minutes  int       `json:"minutes"` // 0 where codex does not say
	Used     int       `json:"used_percent"`
	ResetsAt time.Time `json:"resets_at"`
}

// At returns the window at a time: after its reset nothing of it is used.
func (w Window) At(now time.Time) Window {
	if !w.ResetsAt.After(now) {
		w.Used = 0
	}
	return w
}

// Room says whether an account has room, as far as that is known.
type Room string

// The kinds of room.
const (
	Free      Room = "free"
	Unknown   Room = "unknown"    // no limits were read, or none can be, as of an API key
	Full      Room = "full"       // used up to the pool's limit, or marked by next, until a time
	LoggedOut Room = "logged-out" // it has no login
	Denied    Room = "refused"    // the server refuses its login
)

// The bounds of credible times.
const (
	ClockSkew   = time.Minute         // how far in the future a time may be that was right when it was written
	longestMark = 32 * 24 * time.Hour // how long a mark may last
)

// Room returns the room of the account at a time, for a pool that leaves an account at this percentage; for [Full] also until when.
func (a *Account) Room(leave int, now time.Time) (room Room, until time.Time) {
	switch {
	case a.Login == NoLogin:
		return LoggedOut, until
	case a.Login == Refused:
		return Denied, until
	case a.ReadAt.After(now.Add(ClockSkew)):
		return Unknown, until
	}
	if a.BlockedUntil.After(now) && a.BlockedUntil.Before(now.Add(longestMark)) {
		until = a.BlockedUntil
	}
	for _, w := range a.Windows {
		if w.At(now).Used >= leave && w.ResetsAt.After(until) {
			until = w.ResetsAt
		}
	}
	switch {
	case until.After(now):
		return Full, until
	case a.Login == APIKey || a.ReadAt.IsZero() || len(a.Windows) == 0:
		return Unknown, until
	}
	return Free, until
}

// longest returns the longest window.
func (a *Account) longest() Window {
	return slices.MaxFunc(a.Windows, func(x, y Window) int { return x.Minutes - y.Minutes })
}

// Reason says why an account was chosen.
type Reason string

// The reasons, in the order in which they are asked.
const (
	Stays     Reason = "stays"      // the last account in this directory, which is not full
	First     Reason = "first"      // the first account with room
	LeastUsed Reason = "least-used" // of the accounts with room, the one whose longest window is used least
	NextReset Reason = "next-reset" // of the accounts with room, the one whose longest window is reset first
	NotRead   Reason = "not-read"   // no account is known to have room; the first one whose room is unknown
	Soonest   Reason = "soonest"    // all are full; the account that has room again first
	Nobody    Reason = "nobody"     // no account can be used
)

// Decision is the account that a start takes.
type Decision struct {
	Key    string // "" for Nobody
	Reason Reason
	FreeAt time.Time // for Soonest, when the account has room again
}

// Choose returns the account that a start takes from the pool. accounts are all accounts, by label; last is the key of the account that the
// pool gave last in this directory, "" for none.
//
// The last account stays while it is not known to be full, except for one with an API key, which costs money by use and was the last
// resort. Then comes an account that is known to have room, by the pool's strategy; then the first one whose room is unknown; then the one
// that has room again first.
func Choose(p config.Pool, accounts []Account, last string, now time.Time) Decision {
	if a := find(accounts, last); a != nil && has(p, a) && a.Login != APIKey {
		if room, _ := a.Room(p.Leave, now); room == Free || room == Unknown {
			return Decision{Key: last, Reason: Stays}
		}
	}
	best, least := Decision{Reason: Nobody}, cost{unusable, 0}
	Each(p, accounts, func(a *Account) {
		if d, c := a.offer(p, now); c.compare(least) < 0 {
			best, least = d, c
		}
	})
	return best
}

// cost orders the accounts of a pool: by room, and accounts of equal room by a number, the lowest first.
type cost struct {
	room   int
	number int64
}

// The rooms of a cost.
const (
	free = iota
	unknown
	full
	unusable
)

func (c cost) compare(other cost) int {
	return cmp.Or(cmp.Compare(c.room, other.room), cmp.Compare(c.number, other.number))
}

// offer returns the decision to take the account, and its cost. The number is, with room, the used percentage of the longest window for
// strategy balance, and the time of its reset for soonest; of a full account, the time until which it is full.
func (a *Account) offer(p config.Pool, now time.Time) (Decision, cost) {
	switch room, until := a.Room(p.Leave, now); room {
	case Free:
		switch w := a.longest(); {
		case p.Strategy == config.Balance:
			return Decision{Key: a.Key, Reason: LeastUsed}, cost{free, int64(w.At(now).Used)}
		case p.Strategy == config.Soonest && w.ResetsAt.After(now):
			return Decision{Key: a.Key, Reason: NextReset}, cost{free, w.ResetsAt.Unix()}
		case p.Strategy == config.Soonest: // the next reset is unknown
			return Decision{Key: a.Key, Reason: First}, cost{free, math.MaxInt64}
		}
		return Decision{Key: a.Key, Reason: First}, cost{free, 0}
	case Unknown:
		return Decision{Key: a.Key, Reason: NotRead}, cost{unknown, 0}
	case Full:
		return Decision{Key: a.Key, Reason: Soonest, FreeAt: until}, cost{full, until.Unix()}
	}
	return Decision{}, cost{unusable, 0}
}

// Each calls do for the accounts of the pool, the preferred first. Accounts on hold, and names of no account, are passed over.
func Each(p config.Pool, accounts []Account, do func(*Account)) {
	for _, key := range p.Accounts {
		if a := find(accounts, key); a != nil && has(p, a) {
			do(a)
		}
	}
	if len(p.Accounts) > 0 {
		return
	}
	for i := range accounts {
		if has(p, &accounts[i]) {
			do(&accounts[i])
		}
	}
}

// has reports whether the account is one of the pool.
func has(p config.Pool, a *Account) bool {
	if slices.Contains(p.Held, a.Key) {
		return false
	}
	if len(p.Accounts) == 0 {
		return a.Login == ChatGPT || a.Login == Refused
	}
	return slices.Contains(p.Accounts, a.Key)
}

func find(accounts []Account, key string) *Account {
	for i := range accounts {
		if accounts[i].Key == key {
			return &accounts[i]
		}
	}
	return nil
}
