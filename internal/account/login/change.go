package login

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/say"
)

// Codex changes a login in a codex home beside the account's: since 0.169 it revokes and deletes a login that it finds before the new one
// is there, and in the home of a confined account it would obey files of sessions.
const (
	apartAuth = account.ApartDir + "/auth.json"
	apartLent = account.ApartDir + "/lent" // is there if the login is the account's, and not a new one
	apartLock = "login-lock"               // its lock is held while codex changes a login
)

// BeginChange makes that home: to log out with the login, to log in with the configuration, unless that is a session's. [EndChange] ends
// the change once the lock is closed, or its process has ended.
func BeginChange(a account.Account, logsIn bool) (codexHome string, lock account.Lock, err error) {
	top, err := a.OpenToMove()
	if err != nil {
		return "", lock, err
	}
	defer top.Close()
	lock, err = lockApart(a)
	if errors.Is(err, account.ErrInUse) {
		err = fmt.Errorf("%w: another codex login runs in account %q", err, a.Meta.Label)
	}
	if err == nil {
		_, err = endChange(top, a)
	}
	codexHome = filepath.Join(a.Dir, account.ApartDir)
	if err == nil {
		err = disk.MakeDir(codexHome)
	}
	if err == nil && !logsIn {
		err = errors.Join(disk.MakeDir(filepath.Join(a.Dir, apartLent)), top.MoveAuth(filepath.Dir(a.AuthFile()), codexHome))
	}
	for _, name := range []string{"config.toml", ".env"} {
		if err == nil && logsIn && a.Meta.Confine == "" {
			var text string // "" of a missing one
			text, err = account.ReadConfig(filepath.Join(a.CodexHome(), name))
			err = errors.Join(err, os.WriteFile(filepath.Join(codexHome, name), []byte(text), 0o600))
		}
	}
	if err != nil {
		lock.Release()
	}
	return codexHome, lock, err
}

// EndChange ends a change, unless codex still runs: a login that codex made, or did not end, moves to its place. It reports whether there
// was such a login.
func EndChange(a account.Account) (changed bool, err error) {
	if apart, err := disk.Lstat(filepath.Join(a.Dir, account.ApartDir)); err != nil || !apart.Exists() {
		return false, err
	}
	top, err := a.OpenToMove()
	if err != nil {
		return false, err
	}
	defer top.Close()
	lock, err := lockApart(a)
	if err != nil {
		return false, disk.Ignore(err, account.ErrInUse)
	}
	defer lock.Release()
	return endChange(top, a)
}

func endChange(top account.Moving, a account.Account) (changed bool, err error) {
	auth, err := disk.Lstat(filepath.Join(a.Dir, apartAuth))
	if err != nil {
		return false, err
	}
	to := filepath.Dir(a.AuthFile())
	renewed := disk.MayExist(filepath.Join(a.Dir, apartLent)) && HoldsLogin(a) // by a session
	if auth.IsRegular() && auth.Size > 0 && !isPart(a) && !renewed {
		if err := top.MoveAuth(filepath.Join(a.Dir, account.ApartDir), to); err != nil {
			err = fmt.Errorf("the new login cannot be moved into the account %q: %w", a.Meta.Label, err)
			return false, say.WithHint(err, "ls -ld "+say.ShellQuote(to))
		}
		changed = true
	}
	dir, err := disk.Open(a.Dir, disk.NoFollow)
	if err != nil {
		return changed, err
	}
	defer dir.Close()
	return changed, disk.RemoveAll(dir, account.ApartDir)
}

// isPart reports whether the changed login is incomplete, and the account has another one: releases up to 0.166 write in place, and leave a
// part of the file where the disk is full, or they are killed.
func isPart(a account.Account) bool {
	text, err := readAuth(filepath.Join(a.Dir, apartAuth))
	return err == nil && ParseLogin(text).Mode == "unreadable" && HoldsLogin(a)
}

// lockApart returns the lock of a change. The error wraps [account.ErrInUse] if another process has it.
func lockApart(a account.Account) (account.Lock, error) {
	return account.Flock(filepath.Join(a.Dir, apartLock), sys.LOCK_EX|sys.LOCK_NB, sys.O_CLOEXEC|sys.O_CREAT)
}
