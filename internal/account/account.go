// Package account says what an account is and where it lies: meta.json and root.json, locks, and who may reach the directories. It reads
// what swop itself wrote; package store reads everything else.
package account

import (
	"errors"
	"path/filepath"

	"swop/internal/disk"
)

// Account is one account of a store.
type Account struct {
	Key  string
	Dir  string // the sandbox
	Meta Meta
}

// Home returns the HOME that codex gets.
func (a *Account) Home() string { return filepath.Join(a.Dir, "home") }

// CodexHome returns the CODEX_HOME that codex gets.
func (a *Account) CodexHome() string { return filepath.Join(a.Dir, "home", ".codex") }

// AuthFile returns the path of the login, unless that is in the keyring: in the codex home, or beside the home: see [Account.BesideHome].
func (a *Account) AuthFile() string {
	if a.Meta.Confine != "" && disk.MayExist(a.BesideHome()) { // reading it gives the error
		return filepath.Join(a.BesideHome(), "auth.json")
	}
	return filepath.Join(a.CodexHome(), "auth.json")
}

// BesideHome returns the directory of a confined account that holds only a login, which no session sees.
func (a *Account) BesideHome() string { return filepath.Join(a.Dir, "login") }

// ApartDir and LentDir are the codex homes below the account's directory in which codex logs in and out, and answers with a lent login.
const ApartDir, LentDir = "login-apart", "lent"

// Session is the session that a process is in, by its environment.
type Session struct {
	Key      string // of the account
	Name     string // the key that it had when the session began, which SWOP_ACCOUNT has
	Root     string // swop's root
	RealHome string // the account's real home, as meta.json has it; "" where that cannot be read
}

// The kinds of refusal that a caller tells apart; the errors that wrap them say which account or file.
var (
	ErrNoAccount = errors.New("no such account")
	ErrExists    = errors.New("already exists")
	ErrInUse     = errors.New("in use")
)
