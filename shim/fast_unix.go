//go:build unix

package shim

import (
	"errors"
	"time"

	"swop/config"
	"swop/manager/account"
	"swop/manager/stamp"
)

// fastReader is the [Reader] of the fast path. It knows calls from outside of any session, files as swop itself writes them, and accounts
// in which nothing changed since the last start. Of anything else it says no more than errSlow: the slow path does it, or says what is wrong.
type fastReader struct {
	now   time.Time
	found bool // the account was there before its lock was waited for
}

// Fast returns the reader of the fast path, for a test that compares what it answers.
func Fast(now time.Time) Reader { return &fastReader{now: now} }

var errSlow = errors.New("for the slow path")

func (*fastReader) Caller(env config.Env) (Caller, error) {
	if account.MayBeSession(env) || env.Value("SWOP_OUTER") != "" {
		return Caller{}, errSlow
	}
	return Caller{Env: env.Without("SWOP_OUTER", GuardVariable), Account: env.Value("SWOP_ACCOUNT")}, nil
}

func (r *fastReader) Look(env config.Env) (i Invocation, err error) {
	if env.Value("HOME") == "" || env.Value("SWOP_ALLOW_ROOT") != "" {
		return i, errSlow
	}
	if i.Caller, err = r.Caller(env); err != nil {
		return i, err
	}
	if i.Places, err = config.Locate(i.Env, nil); err != nil {
		return i, err
	}
	var ok bool
	if i.Root, ok = account.FastRoot(i.Places.Root); !ok {
		return i, errSlow
	}
	return i, nil
}

func (*fastReader) Settings(places config.Places) (config.Settings, error) {
	settings, ok := config.FastSettings(places)
	return settings, orSlow(ok)
}

func (*fastReader) Selector(places config.Places) (config.Selector, error) {
	selector, ok := config.FastSelector(places)
	return selector, orSlow(ok)
}

// Prepare succeeds where the account is there, and neither its sandbox nor that of an account that runs needs a repair.
func (r *fastReader) Prepare(i *Invocation, label string, settings *config.Settings) (Prepared, error) {
	p := Prepared{Root: i.Root, Settings: *settings}
	key, err := config.Key(label)
	if err != nil || i.Root.SharedHome.Path == "" || i.Owned() != nil {
		return p, errSlow
	}
	layout, err := account.Open(i.Places)
	if err != nil {
		return p, err
	}
	var readiness account.Readiness
	p.Account, p.Lock, readiness = stamp.Prepare(layout, key, &i.Root, settings, r.now)
	r.found = readiness == account.Exists
	return p, orSlow(readiness == account.Ready)
}

func (*fastReader) StopServer(*Invocation, *Prepared) error { return errSlow }

func (*fastReader) CheckConfig(p *Prepared, call account.CodexCall) error {
	return orSlow(p.NamesNothingForced(call))
}

func orSlow(ok bool) error {
	if !ok {
		return errSlow
	}
	return nil
}
