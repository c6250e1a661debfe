//go:build unix

package shim

import (
	"errors"

	"swop/config"
	"swop/manager/account"
	"swop/manager/stamp"
	"swop/manager/store"
)

// start is what a call execs.
type start struct {
	program  Program
	env      config.Env
	settings config.Settings
	lock     account.Lock // the session's, where there is an account
	found    bool         // the account was there before its lock was waited for
}

// steady finds what to exec, and with which environment, if nothing is to be done before: no session to undo, a plain configuration, no
// account or one whose sandbox is whole. It reports false for anything else.
func (p *Process) steady() (start, bool) {
	if len(p.Args) == 0 || account.MayBeSession(p.Env) || p.Env.Value("SWOP_OUTER") != "" {
		return start{}, false
	}
	if p.Env.Value("SWOP_BYPASS") == "1" {
		return p.steadyPass(Caller{Env: p.Env.Without("SWOP_OUTER", guardVariable)}, config.Settings{})
	}
	scene, settings, ok := p.plainScene()
	if !ok {
		return start{}, false
	}
	choice, err := scene.choose(plainSelector)
	if err != nil {
		return start{}, false
	}
	var key string
	if choice.Label != "" {
		if key, err = config.Key(choice.Label); err != nil || ChangesLogin(p.Args) {
			return start{}, false
		}
	}
	if key == "" {
		return p.steadyPass(scene.Caller, settings)
	}
	program, g, err := p.program(scene.Caller, settings, key)
	if err != nil {
		return start{}, false
	}
	var ready Prepared
	lock, standing := p.steadyAccount(&scene, key, &settings, &ready)
	return start{program, scene.environment(&ready, &g), settings, lock, standing == account.Exists}, standing == account.Ready
}

// steadyPass is [Process.pass].
func (p *Process) steadyPass(c Caller, settings config.Settings) (start, bool) {
	program, g, err := p.program(c, settings, "")
	if err != nil {
		return start{}, false
	}
	return start{program: program, env: c.Env.With(guardVariable, g.String()), settings: settings}, true
}

// plainScene is [Look] and [file.ReadSettings] for a call from outside of any session, with files that are plain.
func (p *Process) plainScene() (s Invocation, settings config.Settings, ok bool) {
	if p.Env.Value("HOME") == "" || p.Env.Value("SWOP_ALLOW_ROOT") != "" {
		return s, settings, false
	}
	if name, _ := subcommand(p.Args); name == "update" {
		return s, settings, false
	}
	s.Env, s.Account = p.Env.Without("SWOP_OUTER", guardVariable), p.Env.Value("SWOP_ACCOUNT")
	if s.Places, ok = config.Locate(s.Env); !ok {
		return s, settings, false
	}
	if s.Root, ok = account.FastRoot(s.Places.Root); !ok {
		return s, settings, false
	}
	settings, ok = config.FastSettings(s.Places)
	return s, settings, ok
}

var errNotPlain = errors.New("not plain")

func plainSelector(places config.Places) (config.Selector, error) {
	selector, ok := config.FastSelector(places)
	if !ok {
		return selector, errNotPlain
	}
	return selector, nil
}

// steadyAccount is [Scene.Prepare] and [manager.Account.CheckConfig] where neither has anything to do or to say.
func (p *Process) steadyAccount(s *Invocation, key string, settings *config.Settings, ready *Prepared) (l account.Lock, standing account.Readiness) {
	ready.Root, ready.Settings = s.Root, *settings
	if s.Root.SharedHome.Path == "" || s.Owned() != nil {
		return l, account.NotReady
	}
	st, err := store.Open(s.Places)
	if err != nil {
		return l, account.NotReady
	}
	if ready.Account, l, standing = stamp.Prepare(st.Layout, key, &s.Root, settings, p.Now); standing != account.Ready {
		return l, standing
	}
	if !keepsLogin(p.Args) && !ready.NamesNothingForced(p.codexCall(ready)) {
		l.Release()
		return l, account.NotReady
	}
	return l, account.Ready
}

// codexCall is what of this call decides which configuration codex reads.
func (p *Process) codexCall(r *Prepared) account.CodexCall {
	call := codexCall(p.Args, p.workingDir())
	call.Shared = r.Root.SharedHome.Path
	return call
}
