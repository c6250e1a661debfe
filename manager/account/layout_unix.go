//go:build unix

package account

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/manager/disk"
)

func (s Layout) Path(name string) string { return filepath.Join(s.Root, name) }

// MaxJSON bounds meta.json and root.json, which have a few hundred bytes.
const MaxJSON = 1 << 16

// Layout is where things lie below one root.
type Layout struct {
	config.Places
}

// Open returns the layout at places.Root, which need not exist. A root or accounts root that others can reach is refused with an error that
// wraps [disk.ErrUnsafe].
func Open(places config.Places) (Layout, error) {
	l := Layout{places}
	for _, dir := range []string{l.Root, l.AccountsDir()} {
		if err := l.CheckDir(dir); errors.Is(err, fs.ErrNotExist) {
			return l, nil
		} else if err != nil {
			return l, err
		}
	}
	return l, nil
}

func (s Layout) AccountsDir() string { return filepath.Join(s.Root, "accounts") }

func (s Layout) AccountDir(key string) string { return filepath.Join(s.Root, "accounts", key) }

func (s Layout) MetaFile(dir string) string { return filepath.Join(dir, "meta.json") }

// LockFile is the file whose lock a session of the account with this key holds.
func (s Layout) LockFile(key string) string { return filepath.Join(s.Root, "locks", key) }

// ReadPrivate reads a small file of ours without following a link.
func ReadPrivate(file string) ([]byte, error) { return ReadBounded(file, MaxJSON) }

func ReadBounded(file string, most int64) ([]byte, error) {
	text, _, err := disk.ReadFile(file, unix.O_NOFOLLOW, most)
	if errors.Is(err, unix.ELOOP) {
		return nil, disk.Unsafe("%s: is a link", file)
	}
	if err != nil {
		return nil, err
	}
	return []byte(text), nil
}

// usedEvery is the granularity of last_used_at: finer would write on every call.
const usedEvery = time.Minute

func (a Account) NeedsTouch(now time.Time) bool {
	age := now.Sub(a.Meta.LastUsedAt)
	return age < 0 || age >= usedEvery
}
