package login

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
)

// MaxAuth bounds an auth.json, in bytes: a real one has about five kilobytes.
const MaxAuth = 1 << 20

// Of returns the account's login as it may be shown.
func Of(a account.Account) Login {
	text, err := readAuth(a.AuthFile())
	switch {
	case err == nil:
		l := ParseLogin(text)
		l.Changed = changed(a, text)
		return l
	case !errors.Is(err, fs.ErrNotExist):
		return Login{Mode: "unreadable"}
	case a.Meta.LastUsedAt.IsZero(), a.Meta.Confine != "":
		return Login{Mode: "none"} // no codex that ran here could put a login into the keyring
	}
	switch uses, err := UsesKeyring(a.CodexHome()); {
	case err != nil:
		return Login{Mode: "unknown"}
	case uses:
		return Login{Mode: "keyring"}
	}
	return Login{Mode: "none"}
}

// IdentityOf returns the identity of the account's login, the zero value for an API key, the keyring and no login.
func IdentityOf(a account.Account) Identity {
	text, _ := readAuth(a.AuthFile()) // one that cannot be read has none
	return ParseIdentity(text)
}

func readAuth(file string) ([]byte, error) {
	text, err := disk.ReadOwn(file, MaxAuth)
	return []byte(text), err
}

// MoveLogin moves the login file, which lies on the file system of the accounts, into the new account, and makes it owner-only.
func MoveLogin(a account.Account, file string) error {
	if err := os.Rename(file, a.AuthFile()); err != nil {
		return err
	}
	_, err := Close(a)
	return errors.Join(err, disk.SyncDir(filepath.Dir(a.AuthFile())), disk.SyncDir(filepath.Dir(file)))
}

// Close makes the login accessible to its owner alone, and reports whether others could read it, as after a restored backup.
func Close(a account.Account) (wasOpen bool, err error) {
	if a.LoginMode() == 0 {
		return false, nil
	}
	dir, err := disk.OpenBelow(a.Dir, filepath.Dir(a.AuthFile()))
	if err != nil {
		return true, err
	}
	defer dir.Close()
	return true, dir.Narrow(filepath.Base(a.AuthFile()))
}

// Store returns the store of logins that the configuration of a codex home names: "file", "keyring", where logins cannot be seen and are
// keyed by the path of the codex home, "auto" for either, or another word.
func Store(codexHome string) (string, error) {
	for _, file := range account.ConfigsOf(codexHome) {
		text, err := account.ReadConfig(file)
		if err != nil {
			return "", err
		}
		tree, err := config.Parse(text)
		if err != nil {
			return "", fmt.Errorf("%s%w", file, err)
		}
		if store, ok := tree["cli_auth_credentials_store"].(string); ok { // codex reads no other type
			return store, nil
		}
	}
	return "file", nil
}

// UsesKeyring reports whether codex may put logins into the system's keyring.
func UsesKeyring(codexHome string) (bool, error) {
	store, err := Store(codexHome)
	return store == "keyring" || store == "auto", err
}

// HoldsLogin reports whether a login may lie in the account's codex home: a file that might be a login is never deleted unasked. An empty
// file is none: releases up to 0.166, which write in place, leave it when they are killed.
func HoldsLogin(a account.Account) bool {
	info, err := os.Lstat(a.AuthFile())
	if err == nil && info.Mode().IsRegular() {
		return info.Size() > 0
	}
	return !errors.Is(err, fs.ErrNotExist)
}

// MayHaveLogin is [HoldsLogin], and true where the keyring may have a login, or nobody can tell.
func MayHaveLogin(a account.Account) bool {
	return HoldsLogin(a) || Of(a).MayBeInKeyring()
}
