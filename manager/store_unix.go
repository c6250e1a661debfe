//go:build unix

package manager

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
)

// maxJSON bounds meta.json and root.json, which have a few hundred bytes.
const maxJSON = 1 << 16

// Store is the accounts below one root.
type Store struct {
	config.Places
}

// Open returns the store at places.Root, which need not exist. A root or accounts root that others can reach is refused with an
// error that wraps [ErrUnsafe].
func Open(places config.Places) (Store, error) {
	s := Store{places}
	for _, dir := range []string{s.Root, s.accounts()} {
		if err := s.checkDir(dir); errors.Is(err, fs.ErrNotExist) {
			return s, nil
		} else if err != nil {
			return s, err
		}
	}
	return s, nil
}

func (s Store) accounts() string         { return filepath.Join(s.Root, "accounts") }
func (s Store) dir(key string) string    { return filepath.Join(s.Root, "accounts", key) }
func (s Store) metaOf(dir string) string { return filepath.Join(dir, "meta.json") }

// LockFile is the file whose lock a session of the account with this key holds.
func (s Store) LockFile(key string) string { return filepath.Join(s.Root, "locks", key) }

// Account returns the account with this key. The error wraps [ErrNoAccount] where there is none, and [ErrUnsafe] where the sandbox,
// its home or its codex home is not a directory of the user's alone.
func (s Store) Account(key string) (Account, error) {
	a := Account{Key: key, Dir: s.dir(key)}
	for _, dir := range []string{a.Dir, a.Home(), a.CodexHome()} {
		if err := s.checkDir(dir); errors.Is(err, fs.ErrNotExist) {
			if dir == a.Dir {
				return a, fmt.Errorf("%w: %q", ErrNoAccount, key)
			}
			return a, config.WithHint(unsafe("%s: is missing from the sandbox of %q", dir, key), "mkdir -m 700 "+ShellQuote(dir))
		} else if err != nil {
			return a, err
		}
	}
	return a, s.readMeta(&a)
}

// remnant returns what is left of an account for its removal: a directory of the user's own with a meta.json that names it.
func (s Store) remnant(key string) (Account, error) {
	a := Account{Key: key, Dir: s.dir(key)}
	if err := s.checkDir(a.Dir); errors.Is(err, fs.ErrNotExist) {
		return a, fmt.Errorf("%w: %q", ErrNoAccount, key)
	} else if err != nil {
		return a, err
	}
	return a, s.readMeta(&a)
}

func (s Store) readMeta(a *Account) error {
	file := s.metaOf(a.Dir)
	text, err := readPrivate(file)
	if errors.Is(err, fs.ErrNotExist) && s.isRelic(a.Key) {
		return fmt.Errorf("%w: %q", ErrNoAccount, a.Key)
	}
	if err != nil {
		return err
	}
	if a.Meta, err = ParseMeta(text); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	a.Meta = a.Meta.at(a.Key)
	if a.Meta.Key != a.Key {
		return unsafe("%s: is the account %q, not %q", file, a.Meta.Key, a.Key)
	}
	return nil
}

// readPrivate reads a small file of ours without following a link.
func readPrivate(file string) ([]byte, error) { return readBounded(file, maxJSON) }

func readBounded(file string, most int64) ([]byte, error) {
	text, _, err := config.ReadBounded(file, unix.O_NOFOLLOW, most)
	if errors.Is(err, unix.ELOOP) {
		return nil, unsafe("%s: is a link", file)
	}
	if err != nil {
		return nil, err
	}
	return []byte(text), nil
}

func (s Store) writeMeta(a Account) error {
	text, err := a.Meta.Text()
	if err != nil {
		return err
	}
	return config.WriteFile(s.metaOf(a.Dir), text)
}

// Accounts returns all accounts by key. Sandboxes that cannot be read are left out and returned as one joined error beside the rest.
func (s Store) Accounts() ([]Account, error) {
	entries, err := os.ReadDir(s.accounts())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Account
	var defects []error
	for _, entry := range entries {
		a, err := s.Account(entry.Name())
		if err == nil {
			list = append(list, a)
		} else if !errors.Is(err, ErrNoAccount) {
			defects = append(defects, err)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Key < list[j].Key })
	return list, errors.Join(defects...)
}

// Find returns the account that label names. Where there is none the error wraps [ErrNoAccount] and hints at the label that was
// most likely meant.
func (s Store) Find(label string) (Account, error) {
	key, err := config.Key(label)
	if err != nil {
		return Account{}, err
	}
	a, err := s.Account(key)
	if errors.Is(err, ErrNoAccount) {
		return a, s.unknown(label, key, "codex swop add "+ShellQuote(label))
	}
	return a, err
}

// FindRemnant is Find for what is to be removed: the sandbox may have lost its home.
func (s Store) FindRemnant(label string) (Account, error) {
	key, err := config.Key(label)
	if err != nil {
		return Account{}, err
	}
	a, err := s.remnant(key)
	if errors.Is(err, ErrNoAccount) {
		return a, s.unknown(label, key, "codex swop list")
	}
	return a, err
}

func (s Store) unknown(label, key, hint string) error {
	if err := s.Slip(label, key); err != nil {
		return err
	}
	return config.WithHint(&refusal{ErrNoAccount, fmt.Sprintf("no account %q", label)}, hint)
}

// Slip returns an error that wraps [ErrNoAccount] where label, which names no account, is most likely a slip for one that there is.
func (s Store) Slip(label, key string) error {
	accounts, _ := s.Accounts() // those that cannot be read are no suggestion
	near := Near(key, accounts)
	if near == "" {
		return nil
	}
	err := &refusal{ErrNoAccount, fmt.Sprintf("no account %q", label)}
	return config.WithHint(err, fmt.Sprintf("did you mean %q? list all with: codex swop list", near))
}

// usedEvery is the granularity of last_used_at: finer would write on every call.
const usedEvery = time.Minute

func (a Account) needsTouch(now time.Time) bool {
	age := now.Sub(a.Meta.LastUsedAt)
	return age < 0 || age >= usedEvery
}

// Touch writes last_used_at if it is absent, over a minute old or in the future.
func (s Store) Touch(a Account, now time.Time) error {
	if !a.needsTouch(now) {
		return nil
	}
	a.Meta.LastUsedAt = now
	return s.writeMeta(a)
}
