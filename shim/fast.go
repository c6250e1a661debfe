package shim

import (
	"errors"
	"io/fs"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/home"
	"swop/internal/limits/pool"
)

// fastReader is the [Reader] of the fast path. It knows calls from outside of any session, files as swop itself writes them, and accounts
// in which nothing changed since the last start. Anything else is errSlow: the slow path does the work, or says what is wrong.
type fastReader struct{ now time.Time }

// Fast returns the reader of the fast path.
func Fast(now time.Time) Reader { return &fastReader{now} }

var errSlow = errors.New("for the slow path")

func (*fastReader) Look(env config.Env) (i Invocation, err error) {
	if _, inside := store.SessionIn(env); inside || env.Value(OuterVariable) != "" {
		return i, errSlow
	}
	i.Env, i.Account = env.Without(OuterVariable, GuardVariable), env.Value("SWOP_ACCOUNT")
	i.Confined = func(string) (bool, error) { return false, errSlow }
	i.Places, err = config.Locate(i.Env, func() (string, error) { return "", errSlow }) // the password database is not asked
	if err != nil || account.CheckPlaces(i.Places) != nil {
		return i, errSlow
	}
	configured := config.Configured(i.Places.Config)    // else root.json may say where the configuration is
	if !configured || i.Env.Value("CODEX_HOME") != "" { // without CODEX_HOME an account's stamp knows the shared home
		i.Root, err = store.ReadRoot(i.Places.Root)
	}
	elsewhere := !configured && config.Configured(i.Root.Config)
	return i, orSlow(disk.Ignore(err, fs.ErrNotExist) == nil && !elsewhere)
}

// Pick succeeds where the last choice in this directory holds.
func (r *fastReader) Pick(i *Invocation, settings *config.Settings, c *Choice) error {
	p, ok := settings.Pool(c.Pool)
	if ok {
		c.Picked, ok = pool.Fast(account.Layout{Places: i.Places}, p, i.PoolDir(), r.now)
	}
	c.Label = c.Picked.Key
	return orSlow(ok)
}

// Prepare succeeds where the account is there and not confined, nothing runs beside the session, and neither its sandbox nor that of an
// account that runs needs more than links.
func (r *fastReader) Prepare(i *Invocation, label string, settings *config.Settings, p *Prepared) error {
	key, err := config.Key(label)
	accounts, err2 := store.Open(i.Places)
	beside := p.Policy != "" || settings.HasBridge(key) || settings.Accounts[key].Confine != ""
	if beside || errors.Join(err, err2, i.Owned()) != nil {
		return errSlow
	}
	homes := home.Homes{Store: accounts, Settings: *settings}
	var ready bool
	p.Lock, ready = homes.Ready(key, &p.Account, r.now)
	p.Root, p.Settings = homes.Root, *settings
	return orSlow(ready)
}

func (*fastReader) StopServer(*Invocation, *Prepared) error { return errSlow }

func (*fastReader) CheckConfig(p *Prepared, call *account.CodexCall) error {
	return orSlow(p.KnowsLogin() && p.NamesNothingForced(call))
}

func orSlow(ok bool) error {
	if !ok {
		return errSlow
	}
	return nil
}
