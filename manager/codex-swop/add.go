//go:build unix

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"swop/account"
	"swop/account/login"
	"swop/account/store"
	"swop/config"
	"swop/home/mirror"
	"swop/manager/doctor"
	"swop/manager/terminal"
	"swop/say"
	"swop/session"
)

// addition is a call of add.
type addition struct {
	label   string
	file    string // --import
	from    string // --from
	state   account.State
	noLogin bool
	login   []string // arguments of codex login
}

func addCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add [FLAGS] LABEL [FLAGS OF CODEX LOGIN…]",
		Short: "Add an account and log it in",
		Long: "Add an account and log it in with codex login. If that fails or is cancelled, no account is added. The first account " +
			"becomes the active one: plain codex runs as it. Log another one in from a private window: the browser is still signed in as the first.\n\n" +
			"Flags that are not listed here are passed to codex login, and so is standard input.",
		Example: example(
			"codex swop add work                   log in in the browser",
			"codex swop add work --device-auth     or with a code, from anywhere",
			"printenv OPENAI_API_KEY | codex swop add ci --with-api-key",
			"codex swop add work --import ~/.codex/auth.json",
			"codex swop add agent --state private",
			"codex swop add later --no-login",
		),
		DisableFlagParsing: true,
		ValidArgsFunction:  completeAdd,
		Args: func(_ *cobra.Command, args []string) error {
			_, _, err := parseAdd(args)
			return say.WithHint(err, "codex swop add --help")
		},
	}
	cmd.Flags().Bool("no-login", false, "add it without a login, for codex swop login later")
	cmd.Flags().String("import", "", "move the login in `FILE`, an auth.json, into the account")
	cmd.Flags().String("from", "", "move login, transcripts, history and databases from `DIR`")
	cmd.Flags().String("state", "shared", "share sessions and history, or keep them private: `STATE`")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		n, help, _ := parseAdd(args) // Args refuses what is wrong
		if help {
			return cmd.Help()
		}
		return a.add(n)
	}
	return cmd
}

// parseAdd splits the arguments of add into its own flags, the label, and the arguments of codex login.
func parseAdd(args []string) (n addition, help bool, err error) {
	state := string(account.StateShared)
	values := map[string]*string{"--import": &n.file, "--from": &n.from, "--state": &state}
	labeled, ended := false, false // after --, no flag is ours
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		own := values[name]
		switch {
		case !ended && (args[i] == "-h" || args[i] == "--help"):
			return n, true, nil
		case !ended && args[i] == "--":
			ended = true
		case !ended && args[i] == "--no-login":
			n.noLogin = true
		case !ended && own != nil:
			if !joined && i+1 < len(args) {
				i++
				value = args[i]
			}
			if *own = value; value == "" { // as of a variable that is not set: without the flag, add would do something else
				return n, false, usage("%s needs a value", name)
			}
		case !labeled && (ended || !strings.HasPrefix(args[i], "-")):
			n.label, labeled = args[i], true
		default:
			n.login = append(n.login, args[i])
		}
	}
	n.state = account.State(state)
	if !labeled {
		return n, false, usage("missing LABEL")
	}
	return n, false, n.check()
}

// check refuses arguments that contradict each other.
func (n addition) check() error {
	ways := 0
	for _, chosen := range []bool{n.noLogin, n.file != "", n.from != "", len(n.login) > 0} {
		if chosen {
			ways++
		}
	}
	switch {
	case n.state != account.StateShared && n.state != account.StatePrivate:
		return usage("--state must be shared or private, not %q", n.state)
	case ways > 1:
		return usage("--no-login, --import, --from and flags of codex login exclude each other")
	case len(n.login) > 0 && !strings.HasPrefix(n.login[0], "-"):
		return usage("unexpected argument %q", n.login[0])
	}
	return nil
}

func (a *app) add(n addition) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	first := s.isFirst(n.label)
	if err := a.addAs(s, n); err != nil {
		return err
	}
	acct, err := s.store.Find(n.label)
	if err != nil {
		return err
	}
	session.WarnOfTwin(a.Stderr, s.store, acct)
	a.warnOfHome(s, acct)
	first = first && !n.noLogin && login.MayHaveLogin(acct, s.SharedHome()) // else codex would lose the login that it has without an account
	next := "; make it the active one with: codex swop use " + say.ShellQuote(n.label)
	switch {
	case n.noLogin:
		next = "; log in with: codex swop login " + say.ShellQuote(n.label)
	case first:
		next = ""
	}
	if n.from == "" { // else all is said
		a.say("added account %q%s", n.label, next)
	}
	if first {
		return a.activateFirst(s, n.label)
	}
	return nil
}

// addAs adds the account in the way that is asked for.
func (a *app) addAs(s setup, n addition) error {
	if n.from != "" {
		return a.takeOver(s, n)
	}
	if err := a.mayAdd(s, n); err != nil {
		return err
	}
	switch {
	case n.noLogin:
		_, err := s.store.Create(a.newAccount(s, n))
		return err
	case n.file != "":
		return a.addImported(s, n)
	}
	return a.addWithLogin(s, n, func(s setup, acct account.Account) error { return a.logIn(s, acct, n.login) })
}

// warnOfHome says what the new account will see otherwise than its user.
func (a *app) warnOfHome(s setup, acct account.Account) {
	subject := doctor.Subject{Invocation: s.Invocation, Settings: s.settings}
	for _, f := range subject.HomeTools([]account.Account{acct}) {
		if f.State != doctor.OK {
			a.say("%s", f.Text)
			a.say("hint: %s", f.Hint)
		}
	}
}

// mayAdd refuses what cannot work before anything is created.
func (a *app) mayAdd(s setup, n addition) error {
	key, err := config.NewKey(n.label)
	if err != nil {
		return err
	}
	if there, err := s.store.Account(key); err == nil {
		err := fmt.Errorf("account %q %w", there.Meta.Label, account.ErrExists)
		label := say.ShellQuote(there.Meta.Label)
		return say.WithHint(say.WithHint(err, "to log it in again: codex swop login "+label), "to make it the active one: codex swop use "+label)
	} else if !errors.Is(err, account.ErrNoAccount) {
		return err
	}
	if n.noLogin || n.file != "" {
		return nil
	}
	if len(n.login) == 0 && !a.IsInteractive() {
		err := usage("login needs a terminal")
		return say.WithHint(err, fmt.Sprintf("printenv OPENAI_API_KEY | codex swop add %s --with-api-key", say.ShellQuote(n.label)))
	}
	_, err = a.codex(s)
	return err
}

func (a *app) newAccount(s setup, n addition) store.New {
	return store.New{Label: n.label, State: n.state, SharedHome: s.SharedHome(), Unfinished: !n.noLogin, Now: a.now()}
}

// addWithLogin creates the account, and calls getLogin to bring its login. If that fails, the account is removed again.
func (a *app) addWithLogin(s setup, n addition, getLogin func(setup, account.Account) error) error {
	acct, l, err := s.store.Begin(a.newAccount(s, n)) // marked for the next run in case this one is killed
	if err != nil {
		return err
	}
	s.Root, err = store.ReadRoot(s.Places.Root)
	if err == nil {
		err = a.reconcile(s, acct, mirror.Options{})
	}
	if err == nil {
		err = getLogin(s, acct)
	}
	if err == nil {
		defer l.Release()
		return s.store.Finish(acct)
	}
	l.Release()
	return a.undo(s, acct, err)
}

func (a *app) logIn(s setup, acct account.Account, flags []string) error {
	a.sayOwnCommand(flags, "codex swop add "+say.ShellQuote(acct.Meta.Label))
	if err := a.runCodexIn(s, acct, append([]string{"login"}, flags...)...); err != nil {
		return err
	}
	if login.Of(acct, s.Root.SharedHome.Path).Mode == "none" {
		return errors.New("codex login ended without a login")
	}
	return nil
}

// undo removes an account that got no login, unless someone has begun to use it. One that holds a login is kept, whatever failed after that:
// it may be the only one.
func (a *app) undo(s setup, acct account.Account, why error) error {
	var ended exited
	if errors.As(why, &ended) {
		why = fmt.Errorf("codex login ended with status %d", int(ended))
		if !login.HoldsLogin(acct) {
			why = fmt.Errorf("%w: account %q is not added", why, acct.Meta.Label)
		}
	}
	l, err := s.store.LockExclusive(acct.Key)
	if err != nil {
		return errors.Join(why, fmt.Errorf("account %q is kept: %w", acct.Meta.Label, err))
	}
	defer l.Release()
	if login.HoldsLogin(acct) {
		why = say.WithHint(why, fmt.Sprintf("account %q holds the login and is kept; to remove it: codex swop remove %s", acct.Meta.Label, say.ShellQuote(acct.Meta.Label)))
		return errors.Join(why, s.store.Finish(acct))
	}
	err = s.store.Delete(acct, "")
	if ended == statusQuit && err == nil {
		a.sayCancelled("account %q is not added", acct.Meta.Label)
		a.say("hint: to go on: codex swop add %s", say.ShellQuote(acct.Meta.Label))
		return ended
	}
	return errors.Join(why, err)
}

// sayCancelled says what came of a program that the person at the terminal left by Ctrl-C, on a line of its own.
func (a *app) sayCancelled(format string, args ...any) {
	if terminal.Is(a.Stderr) {
		fmt.Fprintln(a.Stderr)
	}
	a.say("cancelled; "+format, args...)
}
