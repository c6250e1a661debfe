//go:build unix

package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/rpc"
	"swop/internal/bridge"
	"swop/internal/confine/desk"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/shim"
)

// bridgeSession are the bridges of a session.
type bridgeSession = bridge.Session

// staysParent says whether codex is a child of swop in any case.
const staysParent = false

// openBridges opens the bridges of the session, and leads the program to them.
func (r *running) openBridges() error {
	i, p := r.Invocation, r.Prepared
	o := bridge.Options{
		Places: i.Places, Account: p.Key, Label: p.Meta.Label, Sandbox: p.Dir, AuthFile: p.AuthFile(),
		Bridges: BridgesOf(p.Settings, p.Account), Commands: p.Settings.CommandsFor(p.Key),
		Env: account.Outside(bridge.Undo(i.Env), i.Places), Secrets: p.Settings.TokenVariables(), Now: r.call.Now,
		Helper: filepath.Join(filepath.Dir(r.shim), "codex-swop"),
		Codex: func(ctx context.Context, ask func(*rpc.Conversation) error) error {
			return r.loginCodex().Talk(ctx, ask)
		},
	}
	if err := r.checkLogin(o.Bridges); err != nil {
		return err
	}
	if keepsLogin(o.Bridges) { // wherever a session leads the way in its home
		o.AuthFile = filepath.Join(p.BesideHome(), "auth.json")
	}
	var err error
	if r.bridges, err = bridge.Start(o); err != nil {
		return err
	}
	r.atEnd(r.bridges.Close)
	for _, name := range r.bridges.Broad() {
		say.Line(r.call.Stderr, "the token of the bridge %q is broad: GitHub lets it do all that you can; a fine-grained one can do less: %s",
			name, "https://github.com/settings/personal-access-tokens")
	}
	r.Env = r.bridges.Env(r.Env)
	leadCodex(r.Decision, r.program == Codex)
	return nil
}

// keepsLogin reports whether one of the bridges keeps the account's own login outside.
func keepsLogin(list config.Bridges) bool {
	return slices.ContainsFunc(list, func(b config.Bridge) bool { return b.Token.Login || b.Kind == config.BridgeChatGPT })
}

// checkLogin fails where a session would have the login that its account's settings keep outside, or where that is in no file.
func (r *running) checkLogin(list config.Bridges) error {
	if !keepsLogin(list) {
		return nil
	}
	about, label := fmt.Sprintf("the login of the account %q", r.Prepared.Meta.Label), say.ShellQuote(r.Prepared.Meta.Label)
	mode := login.Of(r.Prepared.Account, r.Prepared.Root.SharedHome.Path).Mode
	switch {
	case r.Settings.ConfinementOf(r.Prepared.Key).Fallback == config.FallbackPassthrough:
		err := fmt.Errorf("%s is bridged, and fallback = %q would run its sessions beside it, unconfined", about, config.FallbackPassthrough)
		return say.WithHint(err, "remove the line from config.toml, or: fallback = \""+config.FallbackRefuse+"\"")
	case !r.confined:
		err := errors.New(about + " is bridged, and without confinement its sessions could read it")
		return say.WithHint(err, "codex swop confine "+label+" "+config.ConfineWorkspace)
	case mode == "keyring":
		err := errors.New(about + " is in the keyring, from where it cannot be bridged")
		return say.WithHint(err, `write cli_auth_credentials_store = "file" in codex's config.toml, and log in: codex swop login `+label)
	case mode == "none":
		return say.WithHint(fmt.Errorf("account %q has no login", r.Prepared.Meta.Label), "codex swop login "+label)
	}
	return nil
}

// loginCodex returns the codex that renews the account's login.
func (r *running) loginCodex() Errand {
	i := r.Invocation
	i.Env = i.Env.WithoutCredentials()
	return Question(i, r.Prepared, r.Program, r.shim, usage.Databases(r.Prepared.Account))
}

// hasSession reports whether a confined session of the account runs: the lock of its directory is held.
func hasSession(acct account.Account) bool {
	return slices.ContainsFunc(desk.SessionDirs(filepath.Dir(filepath.Dir(acct.Dir)), acct.Key), func(dir string) bool {
		l, err := account.Flock(filepath.Join(dir, "lock"), sys.LOCK_EX|sys.LOCK_NB, sys.O_CLOEXEC)
		l.Release()
		return errors.Is(err, account.ErrInUse)
	})
}

// BridgesOf returns the bridges of an account, for the login that it has.
func BridgesOf(settings config.Settings, acct account.Account) config.Bridges {
	kind, noKeyring := config.BridgeOpenAI, func() (bool, error) { return false, nil } // only the mode is asked for
	if acct.Dir != "" && login.OfOr(acct, noKeyring).Mode == "chatgpt" {
		kind = config.BridgeChatGPT
	}
	return settings.BridgesFor(acct.Key, kind)
}

// leadCodex leads codex, unless another program runs, to the bridge for its own requests.
func leadCodex(d *shim.Decision, isCodex bool) {
	if isCodex {
		d.Args = bridge.LeadCodex(d.Args, d.Env)
	}
}

// usesOuter reports whether the call comes from a session of the same account, whose bridges it can use.
func usesOuter(d *shim.Decision) bool {
	session := d.Invocation.Session
	return session != nil && session.Key == d.Prepared.Key && disk.SameFile(session.Root, d.Invocation.Places.Root) &&
		bridge.Alive(d.Invocation.Env.Value(bridge.DirVariable))
}

// inheritBridges leads the call to the bridges of the session that it comes from, or away from those of another account's.
func inheritBridges(d *shim.Decision, isCodex bool) {
	switch {
	case d.Env.Value(bridge.DirVariable) == "":
	case usesOuter(d):
		leadCodex(d, isCodex)
	default:
		d.Env = bridge.Undo(d.Env)
	}
}
