package pool

import (
	"cmp"
	"math"
	"slices"

	"swop/config"
	"swop/internal/account"
)

// Login is the kind of an account's login.
type Login string

// The kinds. A login in the keyring counts as one of ChatGPT: which it is cannot be seen.
const (
	NoLogin Login = ""
	ChatGPT Login = "chatgpt"
	APIKey  Login = "api-key"
	Refused Login = "refused" // by the server, since it last changed
)

// Account is what is known of an account.
type Account struct {
	Key          string       `json:"key"`
	Login        Login        `json:"login"`
	ReadAt       account.Time `json:"read_at"`
	BlockedUntil account.Time `json:"blocked_until"` // marked by next, or by the server itself
	Windows      []Window     `json:"windows"`
}

// Window is a span of time in which a plan allows so much. What a window is for is told by its length, never by its place in the answer.
type Window struct {
	Minutes  int          `json:"minutes"` // 0: not said
	Used     int          `json:"used_percent"`
	ResetsAt account.Time `json:"resets_at"`
}

// At returns the window at a time: nothing of it is used once it was reset.
func (w Window) At(now account.Time) Window {
	if w.ResetsAt <= now {
		w.Used = 0
	}
	return w
}

// Room is what is known of the room that an account has.
type Room string

// The kinds of room.
const (
	Free      Room = "free"
	Unknown   Room = "unknown"    // nothing was read of it, or there is nothing to read: an API key has no limits that could be seen
	Full      Room = "full"       // used up to the pool's limit, or marked by next, until a time
	LoggedOut Room = "logged-out" // it cannot be used
	Denied    Room = "refused"    // nor can this one: the server refuses its login
)

// The bounds of what is believed, in seconds.
const (
	clockSkew   = 60         // a reading may be from as far in the future
	longestMark = 32 * 86400 // a mark may last as long
)

// Room returns what room the account has at a time if a pool leaves it at this percentage, and for a full one until when it is full.
func (a *Account) Room(leave int, now account.Time) (room Room, until account.Time) {
	switch {
	case a.Login == NoLogin:
		return LoggedOut, 0
	case a.Login == Refused:
		return Denied, 0
	case a.ReadAt > now+clockSkew:
		return Unknown, 0
	}
	if a.BlockedUntil > now && a.BlockedUntil < now+longestMark {
		until = a.BlockedUntil
	}
	for _, w := range a.Windows {
		if w.At(now).Used >= leave {
			until = max(until, w.ResetsAt)
		}
	}
	switch {
	case until > now:
		return Full, until
	case a.Login == APIKey || a.ReadAt == 0 || len(a.Windows) == 0:
		return Unknown, 0
	}
	return Free, 0
}

// longest returns the longest window.
func (a *Account) longest() Window {
	return slices.MaxFunc(a.Windows, func(x, y Window) int { return x.Minutes - y.Minutes })
}

// Reason says why an account was chosen.
type Reason string

// The reasons, in the order in which they are asked.
const (
	Stays     Reason = "stays"      // it was the last one in this directory, and is not full
	First     Reason = "first"      // the first that has room
	LeastUsed Reason = "least-used" // of those that have room
	NextReset Reason = "next-reset" // of those that have room its longest window is reset first
	NotRead   Reason = "not-read"   // none is known to have room; the first of which nothing is known
	Soonest   Reason = "soonest"    // all are full; it has room again first
	Nobody    Reason = "nobody"     // none is logged in
)

// Decision is the account that a start takes.
type Decision struct {
	Key    string // "" for Nobody
	Reason Reason
	FreeAt account.Time // for Soonest, when it has room again
}

// Choose returns the account that a start takes from the pool. accounts are all there are, by label; last is the key of the last one that
// was taken in this directory, "" for none.
//
// It stays with the last one while that is not known to be full. An API key is not stayed with: it is paid for by use, and was the last
// resort. Else it takes the first account, or the least used one, that is known to have room; else the first of which nothing is known;
// else the one that has room again first.
func Choose(p config.Pool, accounts []Account, last string, now account.Time) Decision {
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

// cost orders the accounts of a pool: by their room, and those that have the same by a number, the lowest first.
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

// offer returns the decision to take the account, and what it costs: of those that have room, how much of the longest window is used where
// the pool balances, and when that is reset where the pool takes the soonest; of those that are full, until when.
func (a *Account) offer(p config.Pool, now account.Time) (Decision, cost) {
	switch room, until := a.Room(p.Leave, now); room {
	case Free:
		switch w := a.longest(); {
		case p.Strategy == config.Balance:
			return Decision{Key: a.Key, Reason: LeastUsed}, cost{free, int64(w.At(now).Used)}
		case p.Strategy == config.Soonest && w.ResetsAt > now:
			return Decision{Key: a.Key, Reason: NextReset}, cost{free, int64(w.ResetsAt)}
		case p.Strategy == config.Soonest: // its next reset is not known
			return Decision{Key: a.Key, Reason: First}, cost{free, math.MaxInt64}
		}
		return Decision{Key: a.Key, Reason: First}, cost{free, 0}
	case Unknown:
		return Decision{Key: a.Key, Reason: NotRead}, cost{unknown, 0}
	case Full:
		return Decision{Key: a.Key, Reason: Soonest, FreeAt: until}, cost{full, int64(until)}
	}
	return Decision{}, cost{unusable, 0}
}

// Each calls do for the accounts of the pool, the preferred first. One that the pool names and that does not exist, or is on hold, is
// passed over.
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
