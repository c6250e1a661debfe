package usage

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/disk"
	"swop/internal/limits/pool"
)

// Entry is the file usage/KEY.json: the last reading of an account's limits. It may be lost at any time.
type Entry struct {
	Login        string    `json:"login"` // a digest of the login's owner: see login.Identity
	Reading      *Reading  `json:"reading,omitempty"`
	ReadAt       time.Time `json:"read_at,omitzero"`
	Problem      Problem   `json:"problem,omitempty"` // of the last attempt, "" if it succeeded
	FailedAt     time.Time `json:"failed_at,omitzero"`
	BlockedUntil time.Time `json:"blocked_until,omitzero"` // a mark of `codex swop next`, or of the server's word that the limit is reached
	Refused      int64     `json:"refused,omitzero"`       // the time of the auth.json that the server refuses
}

// Load returns the entry of the account with this key. login is the digest of the login's owner, and auth the time of its file. An entry of
// another login, from the future, or that cannot be read, is as if it were missing.
func Load(l account.Layout, key, login string, auth int64, now time.Time) Entry {
	none := Entry{Login: login}
	text, err := disk.ReadOwn(pool.EntryFile(l, key), pool.MaxEntry)
	if err != nil {
		return none
	}
	var e Entry
	err = json.Unmarshal([]byte(text), &e)
	if err != nil || e.Login != login || e.Reading == nil && !e.ReadAt.IsZero() {
		return none
	}
	soon := now.Add(pool.ClockSkew)
	if e.ReadAt.After(soon) || e.FailedAt.After(soon) {
		return none
	}
	if e.Refused != auth && e.Refused != 0 { // the login has changed
		e.Refused, e.Problem, e.FailedAt = 0, "", time.Time{}
	}
	return e
}

// Last returns the entry of the account, for its present login: see [Load].
func Last(l account.Layout, acct account.Account, now time.Time) Entry {
	if _, err := os.Lstat(pool.EntryFile(l, acct.Key)); err != nil {
		return Entry{} // nearly always: no login is read
	}
	auth, _ := acct.LoginTime() // a file that cannot be seen was not refused
	return Load(l, acct.Key, login.IdentityOf(acct).Digest(), auth, now)
}

// Store writes the entry of the account with this key.
func Store(l account.Layout, key string, e Entry) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	file := pool.EntryFile(l, key)
	if err := l.MakeDir(filepath.Dir(file)); err != nil {
		return err
	}
	return disk.WriteFile(file, append(text, '\n'))
}

// Rename moves the entry of an account to another key.
func Rename(l account.Layout, from, to string) error {
	return disk.Ignore(os.Rename(pool.EntryFile(l, from), pool.EntryFile(l, to)), fs.ErrNotExist)
}

// Drop removes the entry of the account: with the account, or where a login ends that does not tell its owner.
func Drop(l account.Layout, key string) error {
	return disk.RemoveIfExists(pool.EntryFile(l, key))
}

// Room returns the room of an account with this entry and a ChatGPT login: see [pool.Account.Room].
func (e Entry) Room(leave int, now time.Time) (pool.Room, time.Time) {
	a := e.known()
	return a.Room(leave, now)
}

// known returns the entry for package pool.
func (e Entry) known() pool.Account {
	a := pool.Account{Login: pool.ChatGPT, ReadAt: e.ReadAt, BlockedUntil: e.BlockedUntil}
	if e.Reading != nil {
		a.Windows = e.Reading.Windows
	}
	if e.Refused != 0 {
		a.Login = pool.Refused
	}
	return a
}

// Note returns the entry with the outcome of a question, asked at a time with the login whose file has the time auth. A reading replaces a
// mark. If it says that the limit is reached, it marks the account until the reset of the window that is used most.
func (e Entry) Note(r Reading, problem Problem, auth int64, at time.Time) Entry {
	if problem != "" {
		e.Problem, e.FailedAt = problem, at
		if problem == Refused {
			e.Refused = auth
		}
		return e
	}
	marked := e.BlockedUntil
	e = Entry{Login: e.Login, Reading: &r, ReadAt: at}
	if r.Reached != LimitReached {
		return e
	}
	e.BlockedUntil = marked
	if most := r.mostUsed(at); !most.ResetsAt.IsZero() || len(r.Windows) > 0 {
		e.BlockedUntil = most.ResetsAt
	}
	return e
}

// retry is how long a failed question is not asked again.
const retry = 5 * time.Minute

// Fresh reports whether the question need not be asked again: the answer is younger than maxAge, or the question failed a moment ago.
func (e Entry) Fresh(now time.Time, maxAge time.Duration) bool {
	if e.Problem != "" {
		return now.Sub(e.FailedAt) < min(retry, maxAge)
	}
	return !e.ReadAt.IsZero() && now.Sub(e.ReadAt) < maxAge
}
