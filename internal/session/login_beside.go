package session

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/say"
	"swop/shim"
)

// insideFile is the place of a confined account's login below its directory: in its codex home, which sessions write. A bridged one lies
// beside the home.
const insideFile = "home/.codex/auth.json"

// changeApart lets codex log in or out in a codex home beside the account's. Where no new login comes of that, the account keeps its own.
func (r *running) changeApart() error {
	acct, logsIn, had := r.Prepared.Account, shim.LogsIn(r.Args), login.HoldsLogin(r.Prepared.Account)
	dir, lock, err := login.BeginChange(acct, login.Change(logsIn))
	if err != nil {
		return err
	}
	r.Env = r.Env.With("CODEX_HOME", dir).Without("CODEX_SQLITE_HOME")
	if acct.Meta.Confine != "" {
		r.Env = account.Outside(r.Env, r.Invocation.Places).With("HOME", r.Invocation.Home)
	}
	r.atEnd(func() error {
		lock.Release()
		changed, err := login.EndChange(acct)
		switch {
		case err != nil || !logsIn:
		case changed && acct.Meta.Unfinished: // add warns
		case changed:
			WarnOfTwin(r.call.Stderr, store.Store{Layout: account.Layout{Places: r.Invocation.Places}}, acct)
		case had:
			say.Line(r.call.Stderr, "account %q keeps the login that it had, which is not revoked", acct.Meta.Label)
		}
		return err
	})
	return nil
}

// placeLogin moves a confined account's login to where it belongs: beside the home if it is bridged, so that no session sees it, else into
// the home.
func placeLogin(acct account.Account, bridged bool) error {
	top, err := acct.OpenToMove()
	if err != nil {
		return err
	}
	defer top.Close()
	info, err := top.Lstat(insideFile)
	beside, err2 := disk.Lstat(acct.BesideHome()) // without a login, that is of an account that was bridged before, and is logged out
	if err := errors.Join(disk.Ignore(err, fs.ErrNotExist), err2); err != nil {
		return err
	}
	standIn := login.HoldsStandIn(account.Account{Key: acct.Key, Dir: acct.Dir})
	inHome := err == nil && info.Mode().IsRegular() && !standIn
	switch {
	case bridged && inHome && !beside.Exists(): // else a session put the file in the place of its stand-in
		const made = "login-new" // gets its name with the login in it: an empty directory is of an account that is logged out
		text, err := readInside(top)
		if err = errors.Join(err, top.RemoveAll(made), top.Mkdir(made, 0o700)); err == nil {
			err = disk.WriteFile(filepath.Join(acct.Dir, made, "auth.json"), text) // a new file: sessions may have kept a name of theirs
		}
		if err == nil {
			err = top.Rename(made, "login")
		}
		if err == nil {
			err = top.Remove(insideFile)
		}
		return err
	case !bridged && beside.Exists():
		var err error
		if standIn {
			err = top.Remove(insideFile)
		}
		if err == nil {
			err = top.Rename("login/auth.json", insideFile)
		}
		err = disk.Ignore(err, fs.ErrNotExist)
		if _, left := top.Lstat("login/auth.json"); err == nil && left == nil { // a session has led the way in its home back here
			err = disk.Unsafe("%s: leads to the login beside the home", acct.CodexHome())
		}
		if err == nil {
			err = top.RemoveAll("login") // with what codex left there when it was asked
		}
		return err
	}
	return nil
}

// readInside returns the login in a confined account's codex home, through no link that leads out of the account.
func readInside(top account.Moving) ([]byte, error) {
	f, err := top.OpenFile(insideFile, os.O_RDONLY|sys.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, login.MaxAuth+1))
	if len(text) > login.MaxAuth {
		err = disk.Unsafe("%s: is too large", insideFile)
	}
	return text, err
}
