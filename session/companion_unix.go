//go:build unix

package session

import (
	"io"
	"slices"

	"swop/account"
	"swop/account/login"
	"swop/account/store"
	"swop/bridge"
	"swop/config"
	"swop/confine"
	"swop/home/mirror"
	"swop/say"
	"swop/shim"
)

// Supervised is a run of the real codex as a child.
type Supervised struct {
	*shim.Decision
	Visible []string // what codex needs to see beside the account's homes and its own programs, if the session is confined
	Hidden  []string // what it must not see then
	Login   []byte   // the auth.json that it has in the place of the account's, nil for that

	bridges  *bridge.Session  // nil for none
	confined *confine.Session // nil where the session runs unconfined
	early    *launch          // of it; nil for none
	wrapped  []string         // the program and the arguments before what runs, on macOS; nil where the session runs unconfined
	ignored  string           // the signals that the caller has ignored, for the helper inside
	path     string           // of what runs in codex's place, "" for codex
}

// A Companion runs beside the real codex. It may change what runs, as its environment; end is called when codex has ended.
type Companion func(*Supervised) (end func() error, err error)

// companions returns what is to run beside what was decided, in the order in which it begins; nothing where that is to run in this process's
// place.
func (r *reader) companions(d *shim.Decision) (list []Companion) {
	if needsBridges(d) {
		list = append(list, r.bridges)
	}
	if !r.command && shim.LogsIn(d.Args) && d.Prepared.Key != "" && login.HoldsLogin(d.Prepared.Account) {
		list = append(list, r.tendLogin)
	}
	if d.Prepared.Policy != "" {
		list = append(list, r.confine) // the last, for it needs what the others say
	}
	if r.command || len(list) > 0 {
		list = slices.Insert(list, 0, r.share)
	}
	return list
}

// share lets what was made be shared when all has ended.
func (r *reader) share(s *Supervised) (end func() error, err error) {
	return func() error {
		defer ActAsOwner(s.Invocation)()
		s.Prepared.Lock.Release()
		o := PrepareOptions{Stderr: r.call.Stderr}
		accounts := store.Store{Layout: account.Layout{Places: s.Invocation.Places}}
		_, err := mirror.SweepPending(accounts, "", s.Prepared.Root, s.Settings, Checks(accounts.Layout, o.Say), o.Say)
		return err
	}, nil
}

// run runs what was decided: in this process's place, or with companions as its child. It returns the child's exit status.
func (r *reader) run(d *shim.Decision) (int, error) {
	r.inherit(d)
	companions := r.companions(d)
	if len(companions) == 0 {
		return 0, d.Start(shim.Exec)
	}
	return r.accompany(&Supervised{Decision: d}, companions)
}

// accompany supervises what was decided, with the companions. What ending one says is printed, and changes no status.
func (r *reader) accompany(s *Supervised, companions []Companion) (int, error) {
	var ends []func() error
	end := func() {
		for _, end := range slices.Backward(ends) {
			if err := end(); err != nil {
				say.Error(r.call.Stderr, err)
			}
		}
	}
	for _, begin := range companions {
		stop, err := begin(s)
		if err != nil {
			end()
			return 0, err
		}
		ends = append(ends, stop)
	}
	status, err := Supervise(s.start, end)
	if err != nil {
		end()
	}
	return status, err
}

// tendLogin keeps the account's login while codex makes another one: cancelled, that would have ended it. It warns of a new one that another
// account has.
func (r *reader) tendLogin(s *Supervised) (end func() error, err error) {
	acct := s.Prepared.Account
	kept, err := login.Keep(acct)
	if err != nil {
		return nil, err
	}
	return func() error {
		back := false
		if kept != nil {
			if err = kept.Close(); err == nil {
				back, err = login.Settle(acct)
			}
		}
		switch {
		case err != nil:
			return err
		case back:
			say.Line(r.call.Stderr, "account %q keeps the login that it had, which is not revoked", acct.Meta.Label)
			return nil
		}
		accounts, err := store.Open(s.Invocation.Places)
		if err == nil {
			WarnOfTwin(r.call.Stderr, accounts, acct)
		}
		return err
	}, nil
}

// WarnOfTwin says so if another account has the login of this one.
func WarnOfTwin(stderr io.Writer, s store.Store, acct account.Account) {
	all, _ := s.Accounts() // those that cannot be read are compared by doctor once they can be
	if text := login.TwinText(acct, all); text != "" {
		say.Line(stderr, "%s", text)
		say.Line(stderr, "hint: codex swop login %s", say.ShellQuote(acct.Meta.Label))
	}
}

// RunLogin runs the codex at path as d.Args say, a login of the account that d has prepared, and keeps the login that is there until the new one
// is. It returns the exit status.
func RunLogin(d *shim.Decision, path string, stderr io.Writer) (int, error) {
	r := &reader{call: shim.Call{Stderr: stderr}}
	return r.accompany(&Supervised{Decision: d, path: path}, []Companion{r.tendLogin})
}

// RunProgram runs the program at path, with the arguments that d has, in codex's place, with what runs beside a session of d, and shares what it
// made. It returns the exit status.
func RunProgram(c shim.Call, h Hooks, d *shim.Decision, path string) (int, error) {
	r := &reader{call: c, hooks: h, command: true}
	r.inherit(d)
	return r.accompany(&Supervised{Decision: d, path: path}, r.companions(d))
}

func (s *Supervised) start() (c Child, err error) {
	if s.path != "" {
		return s.startProgram(s.path, s.Args, s.Env)
	}
	err = s.Start(func(path string, args []string, env config.Env) (err error) {
		if s.confined != nil || s.wrapped != nil {
			args = withoutServer(args)
		}
		c, err = s.startProgram(path, args, env)
		return err
	})
	return c, err
}

func (s *Supervised) startProgram(path string, args []string, env config.Env) (Child, error) {
	if s.confined != nil {
		return s.startConfined(path, args, env)
	}
	if s.wrapped != nil {
		return Start(s.wrapped[0], slices.Concat(s.wrapped, []string{path}, args[1:]), env)
	}
	return Start(path, args, env)
}

// withoutServer returns codex's arguments with one before them: no server that outlives the session is started inside, since 0.158. Earlier
// releases ignore it.
func withoutServer(args []string) []string {
	return slices.Concat(args[:1], []string{"-c", "features.daemon_auto_start=false"}, args[1:])
}

// nativeOf returns the program that a call of codex ends in.
func nativeOf(codex shim.Program, env config.Env, settings config.Settings) string {
	if native := codex.Native(env, settings); native != "" {
		return native
	}
	return codex.Path
}
