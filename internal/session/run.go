// Package session is the slow path of a call of codex, for the verbs as well: it finds the session that a call comes from, prepares an
// account, and reports faults. Package shim has the order of the questions.
package session

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/process"
	"swop/internal/account/store"
	"swop/internal/home"
	"swop/internal/limits/pool"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/shim"
)

// Reader is the [shim.Reader] of the slow path.
type Reader struct {
	Stderr io.Writer // gets the messages
	Now    func() time.Time
	// ChangeLogin prepares the account for codex login or logout: it stops the background server, and asks before it ends a turn.
	ChangeLogin func(label string) error
	// Create asks the person at the terminal, if there is one, whether to create the account.
	Create func(label string) error
}

// Run is a call of codex by codex-swop, which repairs the account and reports faults. It returns the exit status where no program could be
// started, or where one that it supervised has ended.
func Run(c shim.Call, r *Reader) int {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a message that nobody reads ends no call
	c.Above = func() ([]shim.Ancestor, error) { return process.Above(), nil }
	if status, nested := runNested(c); nested {
		return status
	}
	return c.RunWith(r, func(d *shim.Decision) (int, error) { return RunProgram(c, d, Codex) })
}

// Say prints a line.
func (r *Reader) Say(line string) { say.Line(r.Stderr, "%s", line) }

func (*Reader) Look(env config.Env) (shim.Invocation, error) { return Look(env) }

func (r *Reader) StopServer(_ *shim.Invocation, p *shim.Prepared) error {
	return r.ChangeLogin(p.Meta.Label)
}

func (*Reader) CheckConfig(p *shim.Prepared, call *account.CodexCall) error {
	return login.CheckConfig(p.Account, *call)
}

// Homes returns the sandboxes of a root, with the checks of the processes in an account, other than this one.
func (r *Reader) Homes(s store.Store, root account.Root, settings config.Settings) home.Homes {
	return home.Homes{
		Store: s, Root: root, Settings: settings, Say: r.Say,
		EndAdd: func(a account.Account) (bool, error) {
			_, err := login.EndChange(a)
			return err == nil && login.MayHaveLogin(a), err
		},
		NoSession: func(a account.Account, idle bool) (bool, error) {
			if idle {
				use, err := process.InUse(a.CodexHome(), process.NoLock)
				return err == nil && !use.Any(), err
			}
			return process.OnlyServer(a.CodexHome(), s.LockFile(a.Key)) // which may be all that has the lock
		},
		Waiting: r.waiting,
	}
}

// Pick takes an account for a start from the pool of the choice, and remembers it for this directory. It prints a line where none has room.
func (r *Reader) Pick(i *shim.Invocation, settings *config.Settings, c *shim.Choice) error {
	if err := i.Owned(); err != nil {
		return err
	}
	s, err := store.Open(i.Places)
	if err != nil {
		return err
	}
	survey, err := usage.Survey(s, r.Now())
	if err != nil {
		return err
	}
	dir := i.PoolDir()
	if c.Picked, err = survey.Pick(*settings, c.Pool, dir); err != nil {
		return usage.WayBack(err, *c)
	}
	c.Label = c.Picked.Key
	p, _ := settings.Pool(c.Pool) // there is one: an account was taken from it
	if err := survey.PassedOver(p); err != nil && c.Picked.Reason != pool.Stays {
		say.Error(r.Stderr, err)
	}
	if line := survey.NoRoom(c.Pool, c.Picked); line != "" {
		r.Say(line)
	}
	_ = survey.Remember(dir, c.Picked.Key) // else the next start picks again; preparing the account reports a fault of the disk
	return nil
}
