//go:build unix

package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"swop/account"
	"swop/config"
	"swop/limits/pool"
	limits "swop/limits/usage"
	"swop/say"
	"swop/shim"
)

func nextCommand(a *app) *cobra.Command {
	var n succession
	cmd := &cobra.Command{
		Use:   "next [@POOL]",
		Short: "Go on with another account where this one is at its limit",
		Long: "Ask codex whether the account of this directory is at its limit. If it is, mark it until its reset, and let codex run here as the next\n" +
			"account of the pool: the one in force here, else auto, to which the directory is bound then. Otherwise nothing is changed. The exit status is 6\n" +
			"if no account has room.\n\n" +
			"Sessions that run keep their account. OpenAI's terms may have something to say about the use of several accounts: see docs/usage.md.",
		ValidArgsFunction: completeWords(a.completePool),
		Example:           example("codex swop next --dry-run", "codex swop next --resume", "codex swop next @acme"),
		Args:              takes(0, "@POOL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := refuseTimes(cmd, n.timeout, 0); err != nil {
				return err
			}
			return a.next(args, n)
		},
	}
	cmd.Flags().BoolVar(&n.resume, "resume", false, "go on with the newest session of this directory")
	cmd.Flags().BoolVar(&n.dryRun, "dry-run", false, "say what would be done")
	cmd.Flags().DurationVar(&n.timeout, "timeout", usageTimeout, "give codex at most this `TIME` to answer")
	return cmd
}

// succession is a call of next: from one account to another.
type succession struct {
	resume, dryRun bool
	timeout        time.Duration

	dir     string
	session string      // the key of the account whose session this is, "" outside of sessions
	choice  shim.Choice // what is in force here
	key     string      // of the pool
	pool    config.Pool
}

func (a *app) next(args []string, n succession) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	if s.Session != nil && s.Account == "" { // the session keeps its account; what is in force for the next ones is asked outside of it
		n.session, s.Session = s.Session.Key, nil
	}
	if n.choice, err = a.choose(s); err != nil {
		return err
	}
	if n.choice.Label == "" {
		return say.WithHint(fmt.Errorf("codex runs without an account here"), "codex swop use auto")
	}
	if n.dir = shim.PoolDir(); n.dir == "" {
		return say.WithHint(errNoDirectory, "cd to a directory that exists")
	}
	if n.key, err = a.poolHere(s, args); err != nil {
		return err
	}
	if n.pool, err = limits.PoolNamed(s.store, s.settings, n.key); err != nil {
		return err
	}
	if _, err := a.survey(s, n.pool); err != nil {
		return err
	}
	return a.succeed(s, n)
}

// succeed asks codex about the current account, and goes on to the next one if it must.
func (a *app) succeed(s setup, n succession) error {
	q, err := a.asker(s, usageFlags{timeout: n.timeout})
	if err != nil {
		return err
	}
	current, err := a.current(s, n)
	if err != nil {
		return err
	}
	until, err := a.limitOf(q, current, n.pool)
	if err != nil || until.IsZero() {
		a.publish(s)
		return err
	}
	a.say("%q is at its limit, until its reset %s", current.Meta.Label, limits.When(until, a.now()))
	to, err := a.successor(q, n, current, until)
	if err != nil {
		return err
	}
	if n.dryRun {
		bound := ""
		if n.choice.Pool != n.key {
			bound = fmt.Sprintf(", bound to the pool %q", n.key)
		}
		a.say("codex would run as %q in %s%s", to.Meta.Label, n.dir, bound)
		return nil
	}
	if n.resume {
		return a.resumeAfter(s, n, to.Account)
	}
	if err := a.settle(s, n, to.Account); err != nil {
		return err
	}
	if _, err := a.newestSession(s); err == nil {
		a.say("hint: codex swop resume --last")
	}
	return nil
}

// resumeAfter goes on with the newest session of the directory under the next account. Where that cannot be, nothing is settled, and the same call can be repeated.
func (a *app) resumeAfter(s setup, n succession, to account.Account) error {
	e, err := a.newestSession(s)
	if err != nil {
		return err
	}
	if err := a.handOver(s, e, to.Key); err != nil {
		return err
	}
	if err := a.settle(s, n, to); err != nil {
		return err
	}
	return a.execResume(s, e, to, nil)
}

// poolHere returns the key of the pool that args name, else of the one in force here, else auto.
func (a *app) poolHere(s setup, args []string) (string, error) {
	if len(args) == 1 {
		key, ok := config.PoolOf(args[0])
		if !ok {
			return "", say.WithHint(usage("%q names no pool", args[0]), "name one as @POOL, or leave it out")
		}
		return key, nil
	}
	choice, err := a.chooseOrPool(s)
	if err == nil && choice.Pool != "" {
		return choice.Pool, nil
	}
	return config.AutoPool, err
}

// current returns the account that is asked about: that of the session, or of a pool the last one that was taken here, whatever was read of it
// since.
func (a *app) current(s setup, n succession) (account.Account, error) {
	if n.session != "" {
		return s.store.Account(n.session)
	}
	if last := pool.ReadLast(s.store.Layout).Of(n.dir); n.choice.Pool != "" && last != "" {
		if acct, err := s.store.Account(last); err == nil {
			return acct, nil
		}
	}
	return s.store.Find(n.choice.Label)
}

// limitOf returns until when the account is at its limit, the zero time where it has room, which it says. Anything else is an error.
func (a *app) limitOf(q asker, current account.Account, p config.Pool) (time.Time, error) {
	e, err := q.read(current)
	switch {
	case err != nil:
		return time.Time{}, err
	case e.Problem != "":
		return time.Time{}, fmt.Errorf("whether %q is at its limit is not known: %w", current.Meta.Label, e.Problem)
	case e.Reading.OfWorkspace():
		err := fmt.Errorf("the limit of the workspace of %q is reached, not that of its plan: %s", current.Meta.Label, e.Reading.Reached)
		return time.Time{}, say.WithHint(err, "ask who administers the workspace")
	}
	room, until := e.Room(p.Leave, a.now())
	if room != pool.Full {
		a.say("%q is not at its limit: nothing is changed", current.Meta.Label)
	}
	return until, nil
}

// successor returns the account that the pool takes once the current one is marked. Who could be it is asked too, for what was read of it may be old.
func (a *app) successor(q asker, n succession, current account.Account, until time.Time) (limits.Surveyed, error) {
	asked := map[string]bool{current.Key: true}
	for {
		all, err := limits.Survey(q.store, q.SharedHome(), a.now())
		if err != nil {
			return limits.Surveyed{}, err
		}
		marked := all.Find(current.Key)
		if marked == nil {
			return limits.Surveyed{}, fmt.Errorf("%w: %q was removed or renamed a moment ago", account.ErrNoAccount, current.Meta.Label)
		}
		marked.Entry.BlockedUntil = until
		d := pool.Choose(n.pool, all.Known().Accounts, "", account.At(a.now()))
		if !n.dryRun {
			if err := all.Mark(current.Key); err != nil {
				return limits.Surveyed{}, err
			}
		}
		switch {
		case d.Reason == pool.Nobody:
			return limits.Surveyed{}, all.NotLoggedIn(n.pool, n.key)
		case d.Reason == pool.Soonest && asked[d.Key]:
			return limits.Surveyed{}, say.Refuse(limits.ErrNobody, all.NoRoom(n.key, d))
		case asked[d.Key]:
			return *all.Find(d.Key), nil
		}
		asked[d.Key] = true
		q.maxAge = usageAge
		if _, err := q.read(all.Find(d.Key).Account); err != nil { // the survey that follows has what was read
			return limits.Surveyed{}, err
		}
	}
}

// settle lets codex run as the account in this directory from now on, and says so.
func (a *app) settle(s setup, n succession, to account.Account) error {
	all, err := limits.Survey(s.store, s.SharedHome(), a.now())
	if err == nil {
		err = all.Remember(n.dir, to.Key)
	}
	bound := ""
	if err == nil && n.choice.Pool != n.key {
		bound, err = s.bindPool(n.dir, n.key)
	}
	if err != nil {
		return err
	}
	a.say("codex runs as %q in %s%s", to.Meta.Label, n.dir, bound)
	if n.choice.Pool != n.key && n.choice.Why == shim.ByVariable {
		a.say("SWOP_ACCOUNT is set, and outranks this: unset it")
		a.say("hint: unset SWOP_ACCOUNT")
	}
	return nil
}
