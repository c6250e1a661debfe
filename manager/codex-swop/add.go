//go:build unix

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/manager/account"
	"swop/manager/doctor"
	"swop/manager/login"
	"swop/manager/projection"
	"swop/manager/store"
	"swop/say"
	"swop/shim"
)

// addition is a call of add.
type addition struct {
	label   string
	file    string // --import
	from    string // --from
	state   account.State
	noLogin bool
	login   []string // what goes to codex login
}

func (a *app) addCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add LABEL [FLAGS…] [FLAGS OF CODEX LOGIN…]",
		Short: "Add an account and log it in",
		Long: "Add an account and log it in with the real codex login. If the login fails or is cancelled, nothing stays.\n\n" +
			"Flags that are not listed here go to codex login, and so does standard input.",
		Example: example(
			"codex swop add work                   log in in the browser",
			"codex swop add work --device-auth     or with a code, from anywhere",
			"printenv OPENAI_API_KEY | codex swop add ci --with-api-key",
			"codex swop add work --import ~/.codex/auth.json",
			"codex swop add agent --state private",
			"codex swop add later --no-login",
		),
		DisableFlagParsing: true,
	}
	cmd.Flags().Bool("no-login", false, "make the account, log in later with codex swop login")
	cmd.Flags().String("import", "", "move the auth.json `FILE` into the account; nothing stays behind")
	cmd.Flags().String("from", "", "take over the codex home `DIR`: its login, transcripts, history and databases move into the account")
	cmd.Flags().String("state", "shared", "`STATE` is shared or private: whether the account keeps its transcripts to itself")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		n, help, err := parseAdd(args)
		if help {
			return cmd.Help()
		}
		if err != nil {
			return say.WithHint(err, "codex swop add --help")
		}
		return a.add(n)
	}
	return cmd
}

// parseAdd splits the arguments of add: its own flags, the label, and what is codex login's.
func parseAdd(args []string) (n addition, help bool, err error) {
	state := ""
	values := map[string]*string{"--import": &n.file, "--from": &n.from, "--state": &state}
	labels := 0
	var rest []string // what follows --: no flag there is ours
words:
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		own := values[name]
		switch {
		case args[i] == "-h" || args[i] == "--help":
			return n, true, nil
		case args[i] == "--":
			rest = args[i+1:]
			if labels == 0 && len(rest) > 0 {
				n.label, rest = rest[0], rest[1:]
				labels++
			}
			break words
		case args[i] == "--no-login":
			n.noLogin = true
		case own != nil:
			if !joined && i+1 < len(args) {
				i++
				value = args[i]
			}
			if *own = value; value == "" { // as of a variable that is not set: to go on without it would do something else
				return n, false, usage("%s wants a value", name)
			}
		case labels == 0 && !strings.HasPrefix(args[i], "-"):
			n.label = args[i]
			labels++
		default:
			n.login = append(n.login, args[i])
		}
	}
	n.login = append(n.login, rest...)
	if labels == 0 {
		return n, false, usage("add wants a label")
	}
	if n.state, err = parseState(state); err != nil {
		return n, false, err
	}
	return n, false, n.check()
}

func parseState(text string) (account.State, error) {
	switch state := account.State(text); state {
	case "":
		return account.StateShared, nil
	case account.StateShared, account.StatePrivate:
		return state, nil
	}
	return "", usage("--state wants \"shared\" or \"private\", not %q", text)
}

// check refuses arguments that contradict one another.
func (n addition) check() error {
	ways := 0
	for _, chosen := range []bool{n.noLogin, n.file != "", n.from != "", len(n.login) > 0} {
		if chosen {
			ways++
		}
	}
	switch {
	case ways > 1:
		return usage("--no-login, --import, --from and flags of codex login exclude one another")
	case len(n.login) > 0 && !strings.HasPrefix(n.login[0], "-"):
		return usage("add wants one label, got %q too", n.login[0])
	}
	return nil
}

func (a *app) add(n addition) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	if n.from != "" {
		if err := a.takeOver(s, n); err != nil {
			return err
		}
		return a.warnOfHome(s, n)
	}
	if err := a.mayAdd(s, n); err != nil {
		return err
	}
	switch {
	case n.noLogin:
		_, err = s.store.Create(a.fresh(s, n))
	case n.file != "":
		err = a.addImported(s, n)
	default:
		err = a.addLoggedIn(s, n)
	}
	if err != nil {
		return err
	}
	if err := a.warnOfHome(s, n); err != nil {
		return err
	}
	if n.noLogin {
		a.say("added account %q; log in with: codex swop login %s", n.label, say.ShellQuote(n.label))
		return nil
	}
	a.say("added account %q; make it the active one with: codex swop use %s", n.label, say.ShellQuote(n.label))
	return nil
}

// warnOfHome says what the new account will see otherwise than its user.
func (a *app) warnOfHome(s scene, n addition) error {
	acct, err := s.store.Find(n.label)
	if err != nil {
		return err
	}
	subject := doctor.Subject{Invocation: s.Invocation, Settings: s.settings}
	for _, f := range subject.HomeTools([]account.Account{acct}) {
		if f.State != doctor.OK {
			a.say("%s", f.Text)
			a.say("hint: %s", f.Hint)
		}
	}
	return nil
}

// mayAdd refuses what cannot work before anything is made.
func (a *app) mayAdd(s scene, n addition) error {
	key, err := config.Key(n.label)
	if err != nil {
		return err
	}
	if there, err := s.store.Account(key); err == nil {
		err := fmt.Errorf("account %q %w", there.Meta.Label, account.ErrExists)
		return say.WithHint(err, "log it in anew with: codex swop login "+say.ShellQuote(there.Meta.Label))
	} else if !errors.Is(err, account.ErrNoAccount) {
		return err
	}
	if n.noLogin || n.file != "" {
		return nil
	}
	if len(n.login) == 0 && !a.interactive() {
		err := usage("logging in wants a terminal, and there is none")
		return say.WithHint(err, fmt.Sprintf("printenv OPENAI_API_KEY | codex swop add %s --with-api-key", say.ShellQuote(n.label)))
	}
	_, err = a.codex(s)
	return err
}

func (a *app) fresh(s scene, n addition) store.New {
	return store.New{Label: n.label, State: n.state, SharedHome: s.SharedHome(), Unfinished: !n.noLogin, Now: a.now()}
}

// addLoggedIn makes the account and runs codex login in it. Without a login at the end, nothing stays.
func (a *app) addLoggedIn(s scene, n addition) error {
	acct, l, err := s.store.Begin(a.fresh(s, n)) // marked for the next run in case this one is cut off
	if err != nil {
		return err
	}
	s.Root, err = store.ReadRoot(s.Places.Root)
	if err == nil {
		err = a.reconcile(s, acct, projection.Options{})
	}
	if err == nil {
		err = a.logIn(s, acct, n.login)
	}
	if err == nil {
		defer l.Release()
		return s.store.Finish(acct)
	}
	l.Release()
	return a.undo(s, acct, err)
}

func (a *app) logIn(s scene, acct account.Account, flags []string) error {
	real, err := a.codex(s)
	if err != nil {
		return err
	}
	env := s.Environment(shim.Prepared{Account: acct, Root: s.Root, Settings: s.settings})
	if err := a.runChild(real.Path, append([]string{"login"}, flags...), env); err != nil {
		return err
	}
	if login := login.Of(acct, s.Root.SharedHome.Path); login.Mode == "none" {
		return errors.New("codex login ended without a login")
	}
	return nil
}

// undo takes back an account whose login did not come about, unless someone has begun to use it. One that holds a login stays, whatever
// failed after that was there: it may be the only one.
func (a *app) undo(s scene, acct account.Account, why error) error {
	var ended exited
	if errors.As(why, &ended) {
		why = fmt.Errorf("codex login ended with status %d", int(ended))
		if !login.HoldsLogin(acct) {
			why = fmt.Errorf("%w: account %q is not added", why, acct.Meta.Label)
		}
	}
	l, err := s.store.LockExclusive(acct.Key)
	if err != nil {
		return errors.Join(why, fmt.Errorf("account %q stays: %w", acct.Meta.Label, err))
	}
	defer l.Release()
	if login.HoldsLogin(acct) {
		why = say.WithHint(why, fmt.Sprintf("account %q holds the login and stays; codex swop remove %s", acct.Meta.Label, say.ShellQuote(acct.Meta.Label)))
		return errors.Join(why, s.store.Finish(acct))
	}
	return errors.Join(why, s.store.Delete(acct, ""))
}
