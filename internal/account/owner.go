package account

import (
	"path/filepath"

	"swop/internal/disk/sys"
)

// OwnerFile says whose login the account had at its last start. It has the time of the auth.json that it was read from.
func (a *Account) OwnerFile() string { return filepath.Join(a.Dir, "owner") }

// KnowsLogin reports whether the account's login is the one of its last start, to judge by the time of its file, or it has none.
func (a *Account) KnowsLogin() bool {
	var auth, owner sys.Stat_t
	if err := sys.Lstat(a.AuthFile(), &auth); err != nil {
		return err == sys.ENOENT
	}
	return sys.Lstat(a.OwnerFile(), &owner) == nil && auth.Mtim.Nano() == owner.Mtim.Nano()
}
