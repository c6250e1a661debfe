package limits

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/limits/pool"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/manager/verb"
	"swop/shim"
)

func Next(call *verb.Call) *cobra.Command {
	return &cobra.Command{
		Use:   "next",
		Short: "Go on with another account where this one is at its limit",
		Long: "Ask codex whether the account of this directory is at its limit. If it is, mark it until its reset, and switch this directory " +
			"to the next account of its pool. If it has none, next binds it to the pool \"auto\". Otherwise nothing is changed. The exit status " +
			"is 6 if no account has room.\n\nSessions that run keep their account. OpenAI's terms may restrict the use of several accounts: see " +
			"docs/usage.md.",
		Example: verb.Example("codex swop next"),
		Args:    verb.Takes(0),
		RunE:    verb.With(call.Open, next),
	}
}

// succession is a call of next: from one account to another.
type succession struct {
	dir     string
	session string      // the key of the account whose session this is, "" outside of sessions
	choice  shim.Choice // in force here
	key     string      // of the pool
	pool    config.Pool
}

func next(s verb.Setup, _ []string) (err error) {
	var n succession
	if s.Session != nil && s.Account == "" { // the session stays under its account: the choice is that for a session started outside
		n.session, s.Session = s.Session.Key, nil
	}
	if n.choice, err = s.Here(); err != nil {
		return err
	}
	all, err := usage.Survey(s.Store, s.Now())
	if err != nil {
		return err
	}
	if n.choice.Label == "" {
		hint := "codex swop use auto"
		if len(all.Accounts) == 0 {
			hint = "codex swop add work"
		}
		return say.WithHint(errors.New("codex runs without an account here"), hint)
	}
	if n.dir = s.PoolDir(); n.dir == "" {
		return say.WithHint(errNoDirectory, "cd to a directory that exists")
	}
	if n.key, err = poolHere(s); err != nil {
		return err
	}
	if n.pool, err = usage.PoolNamed(s.Settings, n.key); err != nil {
		return err
	}
	if err := all.PassedOver(n.pool); err != nil {
		say.Error(s.Stderr, err)
	}
	if n.choice.Pool != n.key && config.Within(disk.Resolve(s.Home), n.dir) {
		err := disk.Unsafe("next would bind all of your home to the pool %q", n.key)
		err = say.WithHint(err, "cd to the directory of a project")
		if _, no := all.Pick(s.Settings, n.key, ""); no == nil {
			err = say.WithHint(err, "or, for all directories: codex swop use "+say.ShellQuote(config.PoolName(n.key)))
		}
		return err
	}
	return succeed(s, n)
}

// succeed asks codex about the current account, and goes on to the next one if it must.
func succeed(s verb.Setup, n succession) error {
	q, err := newAsker(s, usageFlags{timeout: limitTimeout})
	if err != nil {
		return err
	}
	current, err := current(s, n)
	if err != nil {
		return err
	}
	if current.Meta.Confine != "" {
		return disk.Unsafe("%q is confined, and no other account goes on with its sessions", current.Meta.Label)
	}
	until, err := limitOf(q, current, n.pool.Leave)
	if err != nil || until.IsZero() {
		if err == nil {
			s.Say("%q is not at its limit: nothing is changed", current.Meta.Label)
		}
		return err
	}
	s.Say("%s", atLimitText(current, until, s.Now()))
	to, err := successor(q, n, current, until)
	if err != nil {
		return err
	}
	if err := switchTo(s, n, to.Account); err != nil {
		return err
	}
	if _, err := newestSession(s); err == nil {
		s.Say("hint: codex swop resume --last")
	}
	return nil
}

// poolHere returns the key of the pool in force here, else auto.
func poolHere(s verb.Setup) (string, error) {
	choice, err := s.HereOrPool()
	if err == nil && choice.Pool != "" {
		return choice.Pool, nil
	}
	return config.AutoPool, err
}

// current returns the account to ask about: the session's, or the one that the pool gave here last.
func current(s verb.Setup, n succession) (account.Account, error) {
	if n.session != "" {
		return s.Store.Account(n.session)
	}
	if last := pool.ReadLast(s.Store.Layout).Of(n.dir).Key; n.choice.Pool != "" && last != "" {
		if acct, err := s.Store.Account(last); err == nil {
			return acct, nil
		}
	}
	return s.Store.Find(n.choice.Label)
}

func atLimitText(acct account.Account, until, now time.Time) string {
	return fmt.Sprintf("%q is at its limit, until its reset %s", acct.Meta.Label, usage.When(until, now))
}

// limitOf asks codex until when the account has used leave percent or more of a window: the zero time where it has room. It fails where
// codex cannot tell, or the limit of the workspace is reached.
func limitOf(q asker, current account.Account, leave int) (until time.Time, err error) {
	e, err := q.read(current)
	switch {
	case err != nil:
		return until, err
	case e.Problem != "":
		return until, fmt.Errorf("cannot tell whether %q is at its limit: %w", current.Meta.Label, e.Problem)
	case e.Reading.OfWorkspace():
		err := fmt.Errorf("the limit of the workspace of %q is reached, not that of its plan: %s", current.Meta.Label, e.Reading.Reached)
		return until, say.WithHint(err, "ask the administrator of the workspace")
	}
	_, until = e.Room(leave, q.Now())
	return until, nil
}

// successor marks the current account, and returns the account that the pool takes then. Codex is asked about each candidate, whose reading
// may be old.
func successor(q asker, n succession, current account.Account, until time.Time) (usage.Surveyed, error) {
	asked := map[string]bool{current.Key: true}
	for {
		all, err := usage.Survey(q.Store, q.Now())
		if err != nil {
			return usage.Surveyed{}, err
		}
		marked := all.Find(current.Key)
		if marked == nil {
			return usage.Surveyed{}, fmt.Errorf("%w: %q was removed or renamed a moment ago", account.ErrNoAccount, current.Meta.Label)
		}
		marked.Entry.BlockedUntil = until
		d := pool.Choose(n.pool, all.Known(), "", q.Now())
		if err := usage.Store(q.Store.Layout, current.Key, marked.Entry); err != nil {
			return usage.Surveyed{}, err
		}
		switch {
		case d.Reason == pool.Nobody:
			return usage.Surveyed{}, usage.Unusable(n.key)
		case d.Reason == pool.Soonest && asked[d.Key]:
			return usage.Surveyed{}, say.Refuse(usage.ErrNobody, all.NoRoom(n.key, d))
		case asked[d.Key]:
			return *all.Find(d.Key), nil
		}
		asked[d.Key] = true
		q.maxAge = usageAge
		if _, err := q.read(all.Find(d.Key).Account); err != nil { // the next survey has the answer
			return usage.Surveyed{}, err
		}
	}
}

// switchTo lets codex run as the account in this directory from now on, and says so.
func switchTo(s verb.Setup, n succession, to account.Account) error {
	all, err := usage.Survey(s.Store, s.Now())
	if err == nil {
		err = all.Remember(n.dir, to.Key)
	}
	bound := ""
	if err == nil && n.choice.Pool != n.key {
		undo, pool := "codex swop unbind", config.PoolName(n.key)
		err = s.Store.ChangeSelector(func(sel *config.Selector) error {
			if was := sel.For(n.dir); was.Path == n.dir {
				undo = "codex swop bind " + say.ShellQuote(was.Account)
			}
			return s.PutBinding(sel, config.Binding{Path: n.dir, Account: pool})
		})
		if undo != "codex swop bind "+say.ShellQuote(pool) { // it was bound so before
			bound = fmt.Sprintf(", now bound to the pool %q; undo that with: %s", n.key, undo)
		}
	}
	if err != nil {
		return err
	}
	s.Say("codex runs as %q in %s%s", to.Meta.Label, n.dir, bound)
	if n.choice.Pool != n.key && n.choice.Why == shim.ByVariable {
		s.Say("this has no effect while SWOP_ACCOUNT is set")
		s.Say("hint: unset SWOP_ACCOUNT")
	}
	return nil
}
