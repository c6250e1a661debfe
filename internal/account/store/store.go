// Package store makes, finds, renames and removes accounts, and reads and writes meta.json, root.json and the selector.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/say"
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
// its home or its codex home is not a directory of the user's alone. A codex home that a program removed, as git clean does where
// HOME is a work tree, is made again, without a login.
func (s Store) Account(key string) (account.Account, error) {
	a, err := s.remnant(key)
	if err != nil {
		return a, err
	}
	for _, dir := range []string{a.Home(), a.CodexHome()} {
		err := s.CloseDir(dir)
		if missing := errors.Is(err, fs.ErrNotExist) && dir == a.CodexHome(); missing && a.Meta.Confine != "" { // by a session
			err = disk.MakeDir(dir)
		} else if missing {
			err = s.MakeIgnored(dir)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return a, say.WithHint(disk.Unsafe("%s: is missing from the sandbox of %q", dir, key), "mkdir -m 700 "+say.ShellQuote(dir))
		} else if err != nil {
			return a, err
		}
	}
	return a, nil
}

// remnant returns an account that may have lost its homes: a directory of the user's own with a meta.json that names it.
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
	if errors.Is(err, fs.ErrNotExist) {
		if s.isLeft(a.Key) || !disk.IsDir(a.Dir) {
			return fmt.Errorf("%w: %q", account.ErrNoAccount, a.Key)
		}
		text, err = disk.ReadOwn(file, account.MaxJSON) // an account may have taken the place of a link
	}
	if err != nil {
		return err
	}
	if err = a.Meta.Parse(text); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if used := s.LastUse(a.Key); !used.Before(a.Meta.CreatedAt) && used.After(a.Meta.LastUsedAt) { // else of an earlier account
		a.Meta.LastUsedAt = used
	}
	a.Meta = a.Meta.At(a.Key)
	if a.Meta.Key != a.Key {
		return disk.Unsafe("%s: is the account %q, not %q", file, a.Meta.Key, a.Key)
	}
	return nil
}

// WriteMeta writes the account's meta.json.
func (s Store) WriteMeta(a *account.Account) error {
	file := s.MetaFile(a.Dir)
	text, err := a.Meta.Text()
	if err != nil {
		return err
	}
	if before, err := disk.ReadOwn(file, account.MaxJSON); err == nil && before == string(text) {
		return nil
	}
	return disk.WriteFile(file, text)
}

// Accounts returns all accounts by key. Sandboxes that cannot be read are left out and returned as one joined error beside the rest.
func (s Store) Accounts() ([]account.Account, error) {
	var list []account.Account
	var defects error
	err := s.Each(func(a account.Account, err error) {
		if err == nil {
			list = append(list, a)
		}
		defects = errors.Join(defects, err)
	})
	return list, errors.Join(err, defects)
}

// Each calls do for every account, in the order of their keys. An account that cannot be read has only its key, beside the error.
func (s Store) Each(do func(account.Account, error)) error {
	entries, err := os.ReadDir(s.AccountsDir())
	list, errs := make([]account.Account, len(entries)), make([]error, len(entries))
	disk.Parallel(len(entries), func(i int) { list[i], errs[i] = s.Account(entries[i].Name()) })
	for i, a := range list {
		if !errors.Is(errs[i], account.ErrNoAccount) {
			do(a, errs[i])
		}
	}
	return disk.Ignore(err, fs.ErrNotExist)
}

// Find returns the account with the label. If it is missing the error wraps [account.ErrNoAccount] and hints at the label that was most
// likely meant.
func (s Store) Find(label string) (account.Account, error) {
	return s.find(label, s.Account, "codex swop add "+say.ShellQuote(label))
}

// FindRemnant is [Store.Find] for an account to be removed: its sandbox may have lost its home.
func (s Store) FindRemnant(label string) (account.Account, error) {
	return s.find(label, s.remnant, "codex swop list")
}

func (s Store) find(label string, read func(key string) (account.Account, error), hint string) (account.Account, error) {
	key, err := config.Key(label)
	a := account.Account{}
	if err == nil {
		a, err = read(key)
	}
	if _, pool := config.PoolOf(label); pool && err != nil {
		return a, say.WithHint(say.Refuse(account.ErrNoAccount, fmt.Sprintf("%q names a pool, not an account", label)), "codex swop list")
	}
	if !errors.Is(err, account.ErrNoAccount) {
		return a, err
	}
	if _, err := config.NewKey(label); err != nil { // a word that stands for something
		return a, say.Refuse(account.ErrNoAccount, err.Error())
	}
	if err := s.Slip(label, key); err != nil {
		return a, err
	}
	return a, say.WithHint(say.Refuse(account.ErrNoAccount, fmt.Sprintf("no account %q", label)), hint)
}

// Slip returns an error that wraps [account.ErrNoAccount] if label, which names no account, is most likely a slip for the label of one.
func (s Store) Slip(label, key string) error {
	accounts, _ := s.Accounts() // those that cannot be read are no suggestion
	at := slices.IndexFunc(accounts, func(a account.Account) bool { return IsSlip(key, a.Key) })
	if at < 0 {
		return nil
	}
	err := say.Refuse(account.ErrNoAccount, fmt.Sprintf("no account %q", label))
	return say.WithHint(err, fmt.Sprintf("did you mean %q? list all with: codex swop list", accounts[at].Meta.Label))
}

// Strays returns an error for each account that config.toml names and that does not exist, with a hint at what may have been meant.
func (s Store) Strays(settings config.Settings) (strays []error) {
	names := settings.Names()
	for _, key := range slices.Sorted(maps.Keys(names)) {
		if _, err := s.Find(key); errors.Is(err, account.ErrNoAccount) {
			file := filepath.Join(s.Config, config.SettingsFile)
			strays = append(strays, fmt.Errorf("%s: %w, which is named in %s", file, err, strings.Join(names[key], ", ")))
		}
	}
	return strays
}

// Keys returns the keys that begin with prefix, in their order. It reads no account, for completion at every press of a key: accounts that
// cannot be read are among them.
func (s Store) Keys(prefix string) (keys []string, err error) {
	entries, err := os.ReadDir(s.AccountsDir())
	for _, entry := range entries {
		name := entry.Name() // a removed account leaves a directory without a meta.json
		if strings.HasPrefix(name, prefix) && disk.MayExist(s.MetaFile(s.AccountDir(name))) {
			keys = append(keys, name)
		}
	}
	return keys, disk.Ignore(err, fs.ErrNotExist)
}

// Elsewhere returns the other places for swop's root that hold the account with this key, or any account for "", or that cannot be read:
// see [config.Places.OtherRoots].
func (s Store) Elsewhere(env config.Env, key string) []config.OtherRoot {
	return slices.DeleteFunc(s.OtherRoots(env), func(other config.OtherRoot) bool {
		keys, err := Store{account.Layout{Places: config.Places{Root: other.Dir}}}.Keys(key)
		return err == nil && (len(keys) == 0 || key != "" && keys[0] != key)
	})
}

// MissingOf returns the part of a binding that is gone: "directory", "account" or "pool", "" if nothing is.
func MissingOf(s Store, b config.Binding, settings config.Settings) string {
	if _, err := os.Stat(b.Path); errors.Is(err, fs.ErrNotExist) {
		return "directory"
	}
	if key, pooled := config.PoolOf(b.Account); pooled {
		if _, ok := settings.Pool(key); !ok {
			return "pool"
		}
		return ""
	}
	if _, err := s.Find(b.Account); errors.Is(err, account.ErrNoAccount) {
		return "account"
	}
	return ""
}
