package pool

import (
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

// longUsed returns how much of the longest window is used.
func (a *Account) longUsed(now account.Time) int {
	longest, used := -1, 0
	for _, w := range a.Windows {
		if w.Minutes > longest {
			longest, used = w.Minutes, w.At(now).Used
		}
	}
	return used
}

// Reason says why an account was chosen.
type Reason string

// The reasons, in the order in which they are asked.
const (
	Stays     Reason = "stays"      // it was the last one in this directory, and is not full
	First     Reason = "first"      // the first that has room
	LeastUsed Reason = "least-used" // of those that have room
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
	best, least := Decision{Reason: Nobody}, math.Inf(1)
	Each(p, accounts, func(a *Account) {
		if d, cost := a.offer(p, now); cost < least {
			best, least = d, cost
		}
	})
	return best
}

// offer returns the decision to take the account, and a number that is the lower the better it is: of those that have room how much is
// used, where the pool balances; above all of them those of which nothing is known; and above these until when the full ones are full. One
// that cannot be used costs without end.
func (a *Account) offer(p config.Pool, now account.Time) (Decision, float64) {
	switch room, until := a.Room(p.Leave, now); {
	case room == Free && p.Strategy == config.Balance:
		return Decision{Key: a.Key, Reason: LeastUsed}, float64(a.longUsed(now))
	case room == Free:
		return Decision{Key: a.Key, Reason: First}, 0
	case room == Unknown:
		return Decision{Key: a.Key, Reason: NotRead}, 101 // percent
	case room == Full:
		return Decision{Key: a.Key, Reason: Soonest, FreeAt: until}, float64(until)
	}
	return Decision{}, math.Inf(1)
}

// Each calls do for the accounts of the pool, the preferred first. One that the pool names and that does not exist is passed over.
func Each(p config.Pool, accounts []Account, do func(*Account)) {
	for _, key := range p.Accounts {
		if a := find(accounts, key); a != nil {
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
