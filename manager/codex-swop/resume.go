//go:build unix

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"swop/manager/account"
	"swop/say"
	"swop/shim"
)

func (a *app) resumeCommand() *cobra.Command {
	var last bool
	var as string
	cmd := &cobra.Command{
		Use:   "resume ID|--last [-- ARGS…]",
		Short: "Go on with a session, under the account that made it",
		Long: "Go on with a session, under the account that made it, with codex resume. A session of an API key, or of a codex before 0.163, goes on\n" +
			"under the account of this directory. ID may be the beginning of one.",
		Example: example("codex swop resume --last", "codex swop resume 01999f3e", "codex swop resume --last --as personal"),
		RunE: func(cmd *cobra.Command, args []string) error {
			own := len(args)
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				own = dash
			}
			id, err := resumeTarget(cmd, args[:own], last)
			if err != nil {
				return err
			}
			return a.resume(id, as, args[own:])
		},
	}
	cmd.Flags().BoolVar(&last, "last", false, "the session of this directory that was used last")
	cmd.Flags().StringVar(&as, "as", "", "under the account `LABEL`")
	return cmd
}

// resumeTarget returns what args name: the beginning of an id, "" for the last session.
func resumeTarget(cmd *cobra.Command, args []string, last bool) (string, error) {
	switch {
	case last && len(args) > 0:
		return "", wrongUsage(cmd, "ID and --last exclude each other")
	case last:
		return "", nil
	}
	if err := takes(1, "ID or --last")(cmd, args); err != nil {
		return "", err
	}
	if args[0] == "" {
		return "", wrongUsage(cmd, "the ID is empty")
	}
	return args[0], nil
}

// resume goes on with the session whose id begins with this, or with the last one of this directory, under an account if one is named.
func (a *app) resume(id, as string, args []string) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	e, err := a.findSession(s, id)
	if err != nil {
		return err
	}
	to := account.Account{}
	if label := as; label != "" || e.Label != "" {
		if label == "" {
			label = e.Label
		}
		if to, err = s.store.Find(label); err != nil {
			return err
		}
	}
	return a.execResume(s, e, to, args)
}

func (a *app) findSession(s setup, id string) (sessionEntry, error) {
	dir := ""
	if id == "" {
		if dir = shim.PoolDir(); dir == "" {
			return sessionEntry{}, fmt.Errorf("the working directory does not exist")
		}
	}
	list, err := a.sessionsIn(s, dir)
	if err != nil {
		return sessionEntry{}, err
	}
	if id == "" && len(list) > 0 {
		return list[0], nil
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
	switch {
	case id == "":
		return sessionEntry{}, say.WithHint(fmt.Errorf("no session was begun in this directory"), "codex swop sessions --all")
	case len(found) == 0:
		return sessionEntry{}, say.WithHint(fmt.Errorf("no session %q", id), "codex swop sessions --all")
	case len(found) > 1:
		return sessionEntry{}, say.WithHint(fmt.Errorf("%d sessions begin with %q", len(found), id), "codex swop sessions --all")
	}
	return found[0], nil
}

// resumeNewest goes on with the session of this directory that was used last, under the account.
func (a *app) resumeNewest(s setup, to account.Account) error {
	e, err := a.findSession(s, "")
	if err != nil {
		return err
	}
	return a.execResume(s, e, to, nil)
}

// execResume becomes a codex that goes on with the session: under the account, if it has a key, else under that of this directory. What the
// directory's binding says of confinement holds for either.
func (a *app) execResume(s setup, e sessionEntry, to account.Account, args []string) error {
	env := a.env
	if to.Key != "" {
		here, err := a.chooseOrPool(s)
		if err != nil {
			return err
		}
		env = env.With("SWOP_ACCOUNT", to.Key)
		if here.Confine != "" && env.Value(shim.PolicyVariable) == "" {
			env = env.With(shim.PolicyVariable, here.Confine)
		}
	}
	if to.Key != e.Key && (e.Key != "" || e.isForeign) {
		a.say("another account made this session (%s): OpenAI may refuse what it encrypted for that one", e.by())
		if e.Key != "" {
			a.say("hint: codex swop resume %s --as %s", e.ID, say.ShellQuote(e.Label))
		}
	}
	return shim.Exec(a.shim(), append([]string{"codex", "resume", e.ID}, args...), env)
}
