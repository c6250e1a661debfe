package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/store"
	"swop/internal/confine"
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
	r.Args = slices.Concat(r.Args, []string{"-c", "cli_auth_credentials_store=file"}) // a keyring would know the login by this path
	if acct.Meta.Confine != "" {
		r.Env, err = account.Outside(r.Env, r.Invocation.Places).With("HOME", r.Invocation.Home), os.Chdir(r.Invocation.Home)
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
	return err
}

// keepsLogin reports whether a bridge of the account keeps its own login outside of its sessions.
func keepsLogin(s *config.Settings, key string) bool {
	keeps := func(b config.Bridge) bool { return b.Token.Login || b.Kind == config.BridgeChatGPT }
	return slices.ContainsFunc(s.BridgesFor(key, config.BridgeOpenAI), keeps)
}

// CheckLogin refuses the sessions of an account that would lack their login: see [login.CheckStore]. If a bridge keeps the login outside,
// it refuses those that could read it, or have none.
func CheckLogin(s *config.Settings, a account.Account, sharedHome string) error {
	if err := login.CheckStore(s, &a.Meta, sharedHome); err != nil || !keepsLogin(s, a.Key) {
		return err
	}
	about, label := fmt.Sprintf("the login of the account %q is bridged, and ", a.Meta.Label), say.ShellQuote(a.Meta.Label)
	switch {
	case a.Meta.Confine == "":
		if err := confine.Check(); err != nil { // no account can be confined here
			return fmt.Errorf("%s%w", about, err)
		}
		err := errors.New(about + "without confinement its sessions could read it")
		return say.WithHint(err, "codex swop confine "+label+" "+config.ConfineWorkspace)
	case s.ConfinementOf(a.Key).Fallback == config.FallbackPassthrough:
		err := fmt.Errorf("%sfallback = %q would run its sessions beside it, unconfined", about, config.FallbackPassthrough)
		return say.WithHint(err, "remove the line from config.toml, or: fallback = \""+config.FallbackRefuse+"\"")
	case login.Of(a).Mode == "none":
		return say.WithHint(fmt.Errorf("account %q has no login", a.Meta.Label), "codex swop login "+label)
	}
	return nil
}

// placeLogin moves a confined account's login to where it belongs: beside the home if it is bridged, so that no session sees it, else into
// the home. It moves under no session, and waits for a codex that is asked. Killed anywhere, it goes on the next time.
func placeLogin(acct account.Account, bridged bool) error {
	top, err := acct.OpenToMove()
	if err != nil {
		return err
	}
	defer top.Close()
	beside, err := disk.Lstat(acct.BesideHome()) // without a login, that is of an account that was bridged before, and is logged out
	if err != nil || bridged == beside.Exists() {
		return err // what a session put in the place of its stand-in stays
	}
	home, err := disk.OpenBelow(acct.Dir, acct.CodexHome())
	if err != nil {
		return err
	}
	defer home.Close()
	isStandIn := func() bool { return login.HoldsStandIn(account.Account{Key: acct.Key, Dir: acct.Dir}) }
	inHome, err := home.Stat("auth.json")
	if err != nil {
		return err
	}
	moves := !bridged || inHome.IsRegular() && !isStandIn()
	if moves && hasSession(acct) {
		return fmt.Errorf("account %q is %w: its login moves once its sessions have ended", acct.Meta.Label, account.ErrInUse)
	}
	if !bridged {
		if err = top.MoveAuth(acct.BesideHome(), home.Path); err == nil && isStandIn() { // it is logged out
			err = home.Unlink("auth.json")
		}
		if err == nil {
			err = top.RemoveAll("login") // with what codex left there when it was asked
		}
		return err
	}
	apart := filepath.Join(acct.Dir, account.ApartDir) // from where the next start moves it back if this one is killed
	if err = disk.MakeDir(apart); err == nil && moves {
		err = top.MoveAuth(home.Path, apart)
	}
	if err == nil && moves {
		file, text := filepath.Join(apart, "auth.json"), ""
		if text, err = disk.ReadOwn(file, login.MaxAuth); err == nil {
			err = disk.WriteFile(file, []byte(text)) // a new file: sessions may have kept a name of theirs
		}
	}
	if err == nil {
		err = top.Rename(account.ApartDir, "login")
	}
	return err
}
