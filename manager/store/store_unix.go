//go:build unix

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sort"
	"time"

	"swop/config"
	"swop/manager/account"
	"swop/manager/disk"
	"swop/say"
)

// Store is the accounts below one root.
type Store struct {
	account.Layout
}

// Open returns the store at places.Root, which need not exist: see [account.Open].
func Open(places config.Places) (Store, error) {
	l, err := account.Open(places)
	return Store{l}, err
}

// Account returns the account with this key. The error wraps [account.ErrNoAccount] if it is missing, and [disk.ErrUnsafe] if the sandbox,
// its home or its codex home is not a directory of the user's alone.
func (s Store) Account(key string) (account.Account, error) {
	a := account.Account{Key: key, Dir: s.AccountDir(key)}
	for _, dir := range []string{a.Dir, a.Home(), a.CodexHome()} {
		if err := s.CheckDir(dir); errors.Is(err, fs.ErrNotExist) {
			if dir == a.Dir {
				return a, fmt.Errorf("%w: %q", account.ErrNoAccount, key)
			}
			return a, say.WithHint(disk.Unsafe("%s: is missing from the sandbox of %q", dir, key), "mkdir -m 700 "+say.ShellQuote(dir))
		} else if err != nil {
			return a, err
		}
	}
	return a, s.readMeta(&a)
}

// remnant returns what is left of an account for its removal: a directory of the user's own with a meta.json that names it.
func (s Store) remnant(key string) (account.Account, error) {
	a := account.Account{Key: key, Dir: s.AccountDir(key)}
	if err := s.CheckDir(a.Dir); errors.Is(err, fs.ErrNotExist) {
		return a, fmt.Errorf("%w: %q", account.ErrNoAccount, key)
	} else if err != nil {
		return a, err
	}
	return a, s.readMeta(&a)
}

func (s Store) readMeta(a *account.Account) error {
	file := s.MetaFile(a.Dir)
	text, err := disk.ReadOwn(file, account.MaxJSON)
	if errors.Is(err, fs.ErrNotExist) && s.isTombstone(a.Key) {
		return fmt.Errorf("%w: %q", account.ErrNoAccount, a.Key)
	}
	if err != nil {
		return err
	}
	if a.Meta, err = ParseMeta(text); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	a.Meta = a.Meta.At(a.Key)
	if a.Meta.Key != a.Key {
		return disk.Unsafe("%s: is the account %q, not %q", file, a.Meta.Key, a.Key)
	}
	return nil
}

// WriteMeta writes the account's meta.json.
func (s Store) WriteMeta(a account.Account) error {
	text, err := a.Meta.Text()
	if err != nil {
		return err
	}
	return disk.WriteFile(s.MetaFile(a.Dir), text)
}

// Accounts returns all accounts by key. Sandboxes that cannot be read are left out and returned as one joined error beside the rest.
func (s Store) Accounts() ([]account.Account, error) {
	entries, err := os.ReadDir(s.AccountsDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []account.Account
	var defects []error
	for _, entry := range entries {
		a, err := s.Account(entry.Name())
		if err == nil {
			list = append(list, a)
		} else if !errors.Is(err, account.ErrNoAccount) {
			defects = append(defects, err)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Key < list[j].Key })
	return list, errors.Join(defects...)
}

// Find returns the account that label names. If it is missing the error wraps [account.ErrNoAccount] and hints at the label that was
// most likely meant.
func (s Store) Find(label string) (account.Account, error) {
	key, err := config.Key(label)
	if err != nil {
		return account.Account{}, err
	}
	a, err := s.Account(key)
	if errors.Is(err, account.ErrNoAccount) {
		return a, s.unknown(label, key, "codex swop add "+say.ShellQuote(label))
	}
	return a, err
}

// FindRemnant is Find for what is to be removed: the sandbox may have lost its home.
func (s Store) FindRemnant(label string) (account.Account, error) {
	key, err := config.Key(label)
	if err != nil {
		return account.Account{}, err
	}
	a, err := s.remnant(key)
	if errors.Is(err, account.ErrNoAccount) {
		return a, s.unknown(label, key, "codex swop list")
	}
	return a, err
}

func (s Store) unknown(label, key, hint string) error {
	if err := s.Slip(label, key); err != nil {
		return err
	}
	return say.WithHint(say.Refuse(account.ErrNoAccount, fmt.Sprintf("no account %q", label)), hint)
}

// Slip returns an error that wraps [account.ErrNoAccount] where label, which names no account, is most likely a slip for one that there is.
func (s Store) Slip(label, key string) error {
	accounts, _ := s.Accounts() // those that cannot be read are no suggestion
	meant := near(key, accounts)
	if meant == "" {
		return nil
	}
	err := say.Refuse(account.ErrNoAccount, fmt.Sprintf("no account %q", label))
	return say.WithHint(err, fmt.Sprintf("did you mean %q? list all with: codex swop list", meant))
}

// Touch writes last_used_at if it is absent, over a minute old or in the future.
func (s Store) Touch(a account.Account, now time.Time) error {
	if !a.NeedsTouch(now) {
		return nil
	}
	a.Meta.LastUsedAt = now
	return s.WriteMeta(a)
}
