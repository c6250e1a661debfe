package account

import (
	"path/filepath"

	"swop/internal/disk/sys"
)

// OwnerFile says whose login the account had at its last start. It has the time of the auth.json that it was read from.
func (a *Account) OwnerFile() string { return filepath.Join(a.Dir, "owner") }

// LoginMode returns the bits of the login's mode by which other users could read it, 0 for a login that is missing or no regular file.
func (a *Account) LoginMode() uint32 {
	var auth sys.Stat_t
	if sys.Lstat(a.AuthFile(), &auth) != nil || auth.Mode&sys.S_IFMT != sys.S_IFREG {
		return 0 // whoever reads it says what is wrong
	}
	return uint32(auth.Mode) & 0o077
}

// KnowsLogin reports whether the account's login is its owner's alone, and the one of its last start, to judge by the time of its file; or
// it has none.
func (a *Account) KnowsLogin() bool {
	var auth, owner sys.Stat_t
	if err := sys.Lstat(a.AuthFile(), &auth); err != nil {
		return err == sys.ENOENT
	}
	return a.LoginMode() == 0 && sys.Lstat(a.OwnerFile(), &owner) == nil && auth.Mtim.Nano() == owner.Mtim.Nano()
}
