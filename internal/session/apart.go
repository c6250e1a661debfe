package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/disk"
)

// The login of a confined account is one file in one place: in its codex home, which sessions write, or beside the home, where it is
// bridged. What logs in or out reads neither: it runs in a codex home of its own, with the login alone.

// The places of a login below the account's directory.
const (
	apartDir   = "login-apart" // where codex logs in or out
	apartLogin = apartDir + "/auth.json"
	insideFile = "home/.codex/auth.json"
	besideFile = "login/auth.json"
)

// beginApart lets codex log in or out in a codex home of its own.
func (r *running) beginApart() error {
	acct := r.Prepared.Account
	if err := settleApart(acct); err != nil {
		return err
	}
	top, err := os.OpenRoot(acct.Dir)
	if err != nil {
		return err
	}
	defer top.Close()
	if err := errors.Join(top.RemoveAll(apartDir), top.Mkdir(apartDir, 0o700)); err != nil {
		return err
	}
	if r.logsOut {
		from, err := filepath.Rel(acct.Dir, acct.AuthFile())
		if err == nil {
			err = disk.Ignore(top.Rename(from, apartLogin), fs.ErrNotExist)
		}
		if info, statErr := top.Lstat(apartLogin); err == nil && statErr == nil && !info.Mode().IsRegular() {
			err = top.Rename(apartLogin, from) // a session's: codex would log out what a link of it leads to
		}
		if err != nil {
			return err
		}
	}
	r.Env = r.Env.With("HOME", r.Invocation.Home).With("CODEX_HOME", filepath.Join(acct.Dir, apartDir)).Without("CODEX_SQLITE_HOME")
	r.atEnd(func() error { return settleApart(acct) })
	return nil
}

// settleApart moves the login that codex made, or did not end, to its place, also after a run that was killed.
func settleApart(acct account.Account) error {
	if !disk.At(filepath.Join(acct.Dir, apartDir)).Exists() {
		return nil
	}
	top, err := os.OpenRoot(acct.Dir)
	if err != nil {
		return err
	}
	defer top.Close()
	to, err := filepath.Rel(acct.Dir, acct.AuthFile())
	if info, statErr := top.Lstat(apartLogin); err == nil && statErr == nil && info.Mode().IsRegular() {
		err = top.Rename(apartLogin, to)
	}
	if err != nil {
		return err
	}
	return top.RemoveAll(apartDir)
}

// placeLogin moves a confined account's login to where it belongs: beside the home if it is bridged, so that no session sees it, else into
// the home.
func placeLogin(acct account.Account, bridged bool) error {
	top, err := os.OpenRoot(acct.Dir)
	if err != nil {
		return err
	}
	defer top.Close()
	info, err := top.Lstat(insideFile)
	inHome := err == nil && info.Mode().IsRegular() && !login.HoldsStandIn(account.Account{Key: acct.Key, Dir: acct.Dir})
	_, err = top.Lstat(besideFile)
	switch isBeside := err == nil; {
	case bridged && inHome && !isBeside: // else it is what a session put in the place of its stand-in
		if err := disk.Ignore(top.Mkdir("login", 0o700), fs.ErrExist); err != nil {
			return err
		}
		return top.Rename(insideFile, besideFile)
	case !bridged && isBeside:
		return top.Rename(besideFile, insideFile)
	}
	return nil
}
