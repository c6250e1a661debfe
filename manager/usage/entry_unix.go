//go:build unix

package usage

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/login"
)

// Entry is what is kept of an account's limits: usage/KEY.json. It may be lost at any time.
type Entry struct {
	SchemaVersion int       `json:"schema_version"`
	Login         string    `json:"login"` // whose limits they are: see login.Identity
	Reading       *Reading  `json:"reading,omitempty"`
	ReadAt        time.Time `json:"read_at,omitzero"`
	Problem       Problem   `json:"problem,omitempty"` // of the last attempt, "" if it succeeded
	FailedAt      time.Time `json:"failed_at,omitzero"`
	BlockedUntil  time.Time `json:"blocked_until,omitzero"` // marked by `codex swop next`
}

const schemaVersion = 1

// maxEntry bounds what is read of an entry, in bytes: it has about 500.
const maxEntry = 1 << 16

// clockSkew is how far in the future a time may be that was right when it was written.
const clockSkew = time.Minute

// Dir is where the readings of all accounts are.
func Dir(l account.Layout) string { return l.Path("usage") }

func entryFile(l account.Layout, key string) string { return filepath.Join(Dir(l), key+".json") }

// Load returns what is kept of the limits of the account with this key, if they are those of the login. What is torn, foreign, from the future or of another
// schema is as if it were missing.
func Load(l account.Layout, key, login string, now time.Time) Entry {
	none := Entry{SchemaVersion: schemaVersion, Login: login}
	text, err := disk.ReadOwn(entryFile(l, key), maxEntry)
	if err != nil {
		return none
	}
	var e Entry
	if json.Unmarshal([]byte(text), &e) != nil || e.SchemaVersion != schemaVersion || e.Login != login || e.Reading == nil && !e.ReadAt.IsZero() {
		return none
	}
	soon := now.Add(clockSkew)
	if e.ReadAt.After(soon) || e.FailedAt.After(soon) {
		return none
	}
	if e.Reading != nil && !e.Reading.makesSense(e.ReadAt) {
		e.Reading, e.ReadAt = nil, time.Time{}
	}
	return e
}

// Kept is [Load] for the login that the account has.
func Kept(l account.Layout, acct account.Account, now time.Time) Entry {
	if _, err := os.Lstat(entryFile(l, acct.Key)); err != nil {
		return Entry{SchemaVersion: schemaVersion} // nearly always: no login is read for it
	}
	return Load(l, acct.Key, login.IdentityOf(acct).Digest(), now)
}

// Store keeps an entry.
func Store(l account.Layout, key string, e Entry) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := makeDir(l); err != nil {
		return err
	}
	return disk.WriteFile(entryFile(l, key), append(text, '\n'))
}

func makeDir(l account.Layout) error {
	err := disk.MakeDir(Dir(l))
	if errors.Is(err, fs.ErrExist) {
		return l.CheckDir(Dir(l))
	}
	return err
}

// Drop removes what is kept of the account's limits, before its login or its place changes.
func Drop(l account.Layout, key string) error {
	if _, err := os.Lstat(Dir(l)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(disk.RemoveIfExists(entryFile(l, key)), disk.RemoveIfExists(autoFile(l)))
}

// Note returns the entry with the outcome of a question that was asked at a time. A reading that says that there is room removes a mark.
func (e Entry) Note(r Reading, problem Problem, at time.Time) Entry {
	if problem != "" {
		e.Problem, e.FailedAt = problem, at
		return e
	}
	e.Reading, e.ReadAt, e.Problem, e.FailedAt = &r, at, "", time.Time{}
	if r.hasRoom(at) {
		e.BlockedUntil = time.Time{}
	}
	return e
}

// retry is how long after a failure the question is not asked again.
const retry = 5 * time.Minute

// Fresh reports whether the question need not be asked again: the answer is at most this old, or it failed a moment ago.
func (e Entry) Fresh(now time.Time, maxAge time.Duration) bool {
	if e.Problem != "" {
		return now.Sub(e.FailedAt) < min(retry, maxAge)
	}
	return !e.ReadAt.IsZero() && now.Sub(e.ReadAt) < maxAge
}
