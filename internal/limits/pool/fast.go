package pool

import (
	"encoding/json"
	"io/fs"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
)

// EntryFile is the path of usage/KEY.json, the last reading of an account's limits, and MaxEntry bounds it, in bytes: it has about 500.
func EntryFile(l account.Layout, key string) string { return l.Path("usage/" + key + ".json") }

const MaxEntry = 1 << 16

// Fast returns the account that a start in the directory takes, if swop has nothing to write or to say: the account of the last start here
// stays. Its login is the file that the last start saw, and no reading says that it has no room.
func Fast(l account.Layout, p config.Pool, dir string, now time.Time) (Decision, bool) {
	last := ReadLast(l).Of(dir)
	acct := account.Account{Key: last.Key, Dir: l.AccountDir(last.Key)}
	login, err := acct.LoginTime()
	if err != nil || login == 0 || login != last.Login {
		return Decision{}, false
	}
	var e struct {
		Reading      struct{ Windows []Window }
		ReadAt       time.Time `json:"read_at"`
		BlockedUntil time.Time `json:"blocked_until"`
		Refused      int64
	}
	text, err := disk.ReadOwn(EntryFile(l, last.Key), MaxEntry)
	if err == nil {
		err = json.Unmarshal([]byte(text), &e)
	}
	if disk.Ignore(err, fs.ErrNotExist) != nil || e.Refused == login {
		return Decision{}, false
	}
	known := Account{Key: last.Key, Login: ChatGPT, ReadAt: e.ReadAt, BlockedUntil: e.BlockedUntil, Windows: e.Reading.Windows}
	d := Choose(p, []Account{known}, last.Key, now)
	return d, d.Reason == Stays
}
