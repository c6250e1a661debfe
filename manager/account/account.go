package account

import (
	"path/filepath"
)

// Account is one account of a store.
type Account struct {
	Key  string
	Dir  string // the sandbox
	Meta Meta
}

// Home is the HOME that codex gets.
func (a Account) Home() string { return filepath.Join(a.Dir, "home") }

// CodexHome is the CODEX_HOME that codex gets.
func (a Account) CodexHome() string { return filepath.Join(a.Dir, "home", ".codex") }

// AuthFile is where codex keeps the login, unless it is told to use the keyring.
func (a Account) AuthFile() string { return filepath.Join(a.CodexHome(), "auth.json") }
