package account

import (
	"path/filepath"

	"swop/internal/disk"
	"swop/internal/disk/sys"
)

// OwnerFile returns the path of the file with the owner of the account's login at its last start. The file has the time of that auth.json.
func (a *Account) OwnerFile() string { return filepath.Join(a.Dir, "owner") }

// LoginMode returns the bits of the login's mode by which other users could read it, 0 for a login that is missing or no regular file.
func (a *Account) LoginMode() uint32 {
	var auth sys.Stat_t
	if sys.Lstat(a.AuthFile(), &auth) != nil || auth.Mode&sys.S_IFMT != sys.S_IFREG {
		return 0 // reading the login gives the error
	}
	return uint32(auth.Mode) & 0o077
}

// LoginTime returns the time of the login's file, by which another login is known, in nanoseconds since 1970: 0 for a missing file.
func (a *Account) LoginTime() (int64, error) {
	auth, err := disk.Lstat(a.AuthFile())
	return auth.Mtime.Nano(), err
}

// KnowsLogin reports whether the account has no login, or one that only its user can read and that is the one of the last start, by the
// time of its file.
func (a *Account) KnowsLogin() bool {
	at, err := a.LoginTime()
	owner := disk.At(a.OwnerFile())
	return err == nil && (at == 0 || a.LoginMode() == 0 && at == owner.Mtime.Nano())
}
