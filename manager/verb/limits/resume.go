package limits

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/account"
	"swop/internal/limits/pool"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/internal/session"
	"swop/manager/verb"
)

// sessionIDs returns the IDs of this directory's sessions that begin with typed, with their prompts.
func sessionIDs(s verb.Setup, typed string) (list []cobra.Completion) {
	sessions, _ := sessionsHere(s) // after an error nothing is completed
	for _, e := range sessions {
		if strings.HasPrefix(e.ID, typed) {
			list = append(list, cobra.CompletionWithDesc(e.ID, say.OneLine(e.begins())))
		}
	}
	return list
}

func Resume(call *verb.Call) *cobra.Command {
	var last bool
	var as string
	cmd := &cobra.Command{
		Use:   "resume [flags] ID|--last [-- ARGS…]",
		Short: "Go on with a session, under the account that made it",
		Long: "Go on with a session, under the account that made it, with codex resume. While that one is at its limit, the account that the " +
			"pool of this directory takes goes on with it. A session of an API key, or of a codex before 0.163, goes on under the account of " +
			"this directory. ID may be the beginning of one.",
		ValidArgsFunction: verb.CompleteWords(call.Complete(sessionIDs)),
		Example:           verb.Example("codex swop resume --last", "codex swop resume 01999f3e", "codex swop resume --last --as personal"),
		RunE: func(cmd *cobra.Command, args []string) error {
			own := len(args)
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				own = dash
			}
			find, err := resumeTarget(cmd, args[:own], last)
			if err != nil {
				return err
			}
			return verb.With(call.Open, func(s verb.Setup, args []string) error { return resume(s, find, as, args) })(cmd, args[own:])
		},
	}
	cmd.Flags().BoolVar(&last, "last", false, "the session of this directory that was used last")
	cmd.Flags().StringVar(&as, "as", "", "under the account `LABEL`")
	_ = cmd.RegisterFlagCompletionFunc("as", call.Complete(verb.Labels)) // the flag exists, and has no completion yet
	return cmd
}

// resumeTarget returns a function that finds the session that args name, or with last the newest one.
func resumeTarget(cmd *cobra.Command, args []string, last bool) (func(verb.Setup) (sessionEntry, error), error) {
	switch {
	case last && len(args) > 0:
		return nil, verb.WrongUsage(cmd, "ID and --last exclude each other")
	case last:
		return newestSession, nil
	case len(args) == 0:
		return nil, say.WithHint(verb.Usagef("missing ID or --last"), "codex swop sessions")
	case args[0] == "":
		return nil, verb.WrongUsage(cmd, "the ID is empty")
	}
	return func(s verb.Setup) (sessionEntry, error) { return sessionNamed(s, args[0]) }, verb.Takes(1, "ID")(cmd, args)
}

// resume goes on with the session that find returns, under an account if one is named.
func resume(s verb.Setup, find func(verb.Setup) (sessionEntry, error), as string, args []string) (err error) {
	to := account.Account{}
	if as != "" {
		if to, err = s.Store.Find(as); err != nil {
			return err
		}
	}
	e, err := find(s)
	if err != nil {
		return err
	}
	s.SetDir(append([]string{"codex", "resume"}, args...))
	if as == "" && e.Label != "" {
		if to, err = goesOn(s, e); err != nil {
			return err
		}
	}
	return execResume(s, e, to, args)
}

// goesOn returns the account that goes on with a session: its maker, or while that is at its limit the account that the pool of this
// directory takes, which it says.
func goesOn(s verb.Setup, e sessionEntry) (account.Account, error) {
	maker, err := s.Store.Find(e.Label)
	if err != nil || e.isPrivate {
		return maker, err
	}
	here, err := s.Here()
	if err != nil || here.Pool == "" || config.HasKey(here.Label, e.Key) || here.Picked.Reason == pool.Soonest {
		return maker, nil //nolint:nilerr // without an account of a pool the maker goes on
	}
	p, _ := s.Settings.Pool(here.Pool) // there is one: an account was taken from it
	room, until := usage.Last(s.Store.Layout, maker, s.Now()).Room(p.Leave, s.Now())
	to, err := s.Store.Find(here.Label)
	if room != pool.Full || err != nil || to.Meta.State == account.StatePrivate {
		return maker, err
	}
	s.Say("%q made this session, and is at its limit until its reset %s: going on as %q", e.Label, usage.When(until, s.Now()), to.Meta.Label)
	return to, nil
}

// The errors where the working directory was removed, and where no session was begun in it.
var (
	errNoDirectory = errors.New("the working directory does not exist")
	errNoSession   = say.WithHint(errors.New("no session was begun in this directory"), "codex swop sessions --all")
)

// sessionsHere returns the sessions of this directory, at least one.
func sessionsHere(s verb.Setup) ([]sessionEntry, error) {
	dir := s.PoolDir()
	if dir == "" {
		return nil, errNoDirectory
	}
	list, err := sessionsIn(s, dir)
	if err == nil && len(list) == 0 {
		err = errNoSession
	}
	return list, err
}

// newestSession returns the session of this directory that was used last.
func newestSession(s verb.Setup) (sessionEntry, error) {
	list, err := sessionsHere(s)
	if err != nil {
		return sessionEntry{}, err
	}
	return list[0], nil
}

// sessionNamed returns the session whose ID is id, or the only one whose ID begins with it.
func sessionNamed(s verb.Setup, id string) (sessionEntry, error) {
	list, err := sessionsIn(s, "")
	if err != nil {
		return sessionEntry{}, err
	}
	var found []sessionEntry
	for _, e := range list {
		if e.ID == id {
			return e, nil
		}
		if strings.HasPrefix(e.ID, id) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return sessionEntry{}, say.WithHint(fmt.Errorf("no session %q", id), "codex swop sessions --all")
	case 1:
		return found[0], nil
	}
	return sessionEntry{}, say.WithHint(fmt.Errorf("%d sessions begin with %q", len(found), id), "codex swop sessions --all")
}

// execResume becomes a codex that goes on with the session: under the account, if it has a key, else under that of this directory.
func execResume(s verb.Setup, e sessionEntry, to account.Account, args []string) error {
	env, key := s.Environ, to.Key
	if key == "" {
		here, err := s.Here()
		if err != nil {
			return err
		}
		key, _ = config.Key(here.Label) // "" without an account
	} else {
		env = session.As(key, s.Environ)
	}
	if err := handOver(s, e, key); err != nil {
		return err
	}
	switch {
	case e.isForeign:
		s.Say("this session belongs to an account that swop does not have, or that is logged out; OpenAI may refuse to continue it here")
	case e.Key != "" && e.Key != key:
		s.Say("this session belongs to %s; OpenAI may refuse to continue it here", e.by())
		s.Say("hint: codex swop resume %s --as %s", e.ID, say.ShellQuote(e.Label))
	}
	return session.Call(s.Shim(), env, append([]string{"resume", e.ID}, args...)...).Exec()
}
