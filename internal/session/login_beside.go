package session

import (
	"errors"
	"io/fs"
	"path/filepath"

	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/shim"
)

// changeApart lets codex log in or out in a codex home beside the account's. Where no new login comes of that, the account keeps its own.
func (r *running) changeApart() error {
	acct, logsIn, had := r.Prepared.Account, shim.LogsIn(r.Args), login.HoldsLogin(r.Prepared.Account)
	dir, lock, err := login.BeginChange(acct, logsIn)
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
// the home. Killed anywhere, it goes on the next time.
func placeLogin(acct account.Account, bridged bool) error {
	top, err := acct.OpenToMove()
	if err != nil {
		return err
	}
	defer top.Close()
	beside, err := disk.Lstat(acct.BesideHome()) // without a login, that is of an account that was bridged before, and is logged out
	if err != nil {
		return err
	}
	home, standIn := acct.CodexHome(), login.HoldsStandIn(account.Account{Key: acct.Key, Dir: acct.Dir})
	const made = "login-new" // gets its name with the login in it
	switch dir := filepath.Join(acct.Dir, made); {
	case bridged && beside.Exists(): // what a session put in the place of its stand-in stays
	case bridged && !standIn:
		err := errors.Join(disk.Ignore(top.Mkdir(made, 0o700), fs.ErrExist), top.MoveAuth(home, dir))
		text := ""
		if err == nil {
			text, err = disk.ReadOwn(filepath.Join(dir, "auth.json"), login.MaxAuth)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return top.Remove(made)
		}
		if err == nil {
			err = disk.WriteFile(filepath.Join(dir, "auth.json"), []byte(text)) // a new file: sessions may have kept a name of theirs
		}
		if err == nil {
			err = top.Rename(made, "login")
		}
		return err
	case !bridged:
		err := errors.Join(top.MoveAuth(dir, home), top.MoveAuth(acct.BesideHome(), home))
		if err == nil && beside.Exists() && login.HoldsStandIn(account.Account{Key: acct.Key, Dir: acct.Dir}) { // it is logged out
			err = top.Remove("home/.codex/auth.json")
		}
		if err == nil {
			err = errors.Join(top.RemoveAll(made), top.RemoveAll("login")) // with what codex left there when it was asked
		}
		return err
	}
	return nil
}
