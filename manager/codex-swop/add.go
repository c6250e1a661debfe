//go:build unix

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/manager"
	"swop/shim"
)

// addition is a call of add.
type addition struct {
	label   string
	file    string // --import
	noLogin bool
	login   []string // what goes to codex login
}

func (a *app) addCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add LABEL [--no-login | --import FILE | LOGIN-FLAGS…]",
		Short: "Add an account and log it in",
		Long: "Add an account and log it in with the real codex login. If the login fails or is cancelled, nothing stays.\n\n" +
			"Flags that are not listed here go to codex login, and so does standard input.",
		Example: example(
			"codex swop add work                                log in in the browser",
			"codex swop add work --device-auth                  log in with a code, on a machine without a browser",
			"printenv OPENAI_API_KEY | codex swop add ci --with-api-key",
			"codex swop add work --import ~/.codex/auth.json    move the login that is there",
			"codex swop add later --no-login",
		),
		DisableFlagParsing: true,
	}
	cmd.Flags().Bool("no-login", false, "make the account, log in later with codex swop login")
	cmd.Flags().String("import", "", "move this auth.json into the account; nothing stays behind")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		n, help, err := parseAdd(args)
		if help {
			return cmd.Help()
		}
		if err != nil {
			return config.WithHint(err, "codex swop add --help")
		}
		return a.add(n)
	}
	return cmd
}

// parseAdd splits the arguments of add: its own flags, the label, and what is codex login's.
func parseAdd(args []string) (n addition, help bool, err error) {
	labels := 0
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-h" || arg == "--help":
			return n, true, nil
		case arg == "--no-login":
			n.noLogin = true
		case arg == "--import" && i+1 == len(args):
			return n, false, usage("--import wants a file")
		case arg == "--import":
			i++
			n.file = args[i]
		case strings.HasPrefix(arg, "--import="):
			n.file = strings.TrimPrefix(arg, "--import=")
		case labels == 0 && !strings.HasPrefix(arg, "-"):
			n.label = arg
			labels++
		default:
			n.login = append(n.login, arg)
		}
	}
	switch {
	case labels == 0:
		return n, false, usage("add wants a label")
	case n.noLogin && (n.file != "" || len(n.login) > 0), n.file != "" && len(n.login) > 0:
		return n, false, usage("--no-login, --import and flags of codex login exclude one another")
	case len(n.login) > 0 && !strings.HasPrefix(n.login[0], "-"):
		return n, false, usage("add wants one label, got %q too", n.login[0])
	}
	return n, false, nil
}

func (a *app) add(n addition) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	if err := a.mayAdd(s, n); err != nil {
		return err
	}
	switch {
	case n.noLogin:
		_, err = s.store.Create(a.fresh(s, n))
	case n.file != "":
		return a.addImported(s, n)
	default:
		err = a.addLoggedIn(s, n)
	}
	if err != nil {
		return err
	}
	if n.noLogin {
		a.say("added account %q; log in with: codex swop login %s", n.label, manager.ShellQuote(n.label))
		return nil
	}
	a.say("added account %q; make it the active one with: codex swop use %s", n.label, manager.ShellQuote(n.label))
	return nil
}

// mayAdd refuses what cannot work before anything is made.
func (a *app) mayAdd(s scene, n addition) error {
	key, err := config.Key(n.label)
	if err != nil {
		return err
	}
	if there, err := s.store.Account(key); err == nil {
		err := fmt.Errorf("account %q %w", there.Meta.Label, manager.ErrExists)
		return config.WithHint(err, "log it in anew with: codex swop login "+manager.ShellQuote(there.Meta.Label))
	} else if !errors.Is(err, manager.ErrNoAccount) {
		return err
	}
	if n.noLogin || n.file != "" {
		return nil
	}
	if len(n.login) == 0 && !a.interactive() {
		err := usage("logging in wants a terminal, and there is none")
		return config.WithHint(err, fmt.Sprintf("printenv OPENAI_API_KEY | codex swop add %s --with-api-key", manager.ShellQuote(n.label)))
	}
	_, err = a.codex(s)
	return err
}

func (a *app) fresh(s scene, n addition) manager.New {
	return manager.New{Label: n.label, State: manager.StateShared, SharedHome: s.SharedHome(), Unfinished: !n.noLogin, Now: a.now()}
}

// addLoggedIn makes the account and runs codex login in it. Without a login at the end, nothing stays.
func (a *app) addLoggedIn(s scene, n addition) error {
	account, l, err := a.begin(s, n)
	if err != nil {
		return err
	}
	s.Root, err = manager.ReadRoot(s.Places.Root)
	if err == nil {
		err = s.store.Reconcile(account, s.Root, s.settings, manager.Quiet{}, a.tell)
	}
	if err == nil {
		err = a.logIn(s, account, n.login)
	}
	if err == nil {
		defer l.Release()
		return s.store.Finish(account)
	}
	l.Release()
	return a.undo(s, account, err)
}

// begin makes the unfinished account, marked for the next run in case this one is cut off, and locks it.
func (a *app) begin(s scene, n addition) (manager.Account, manager.Lock, error) {
	account, err := s.store.Create(a.fresh(s, n))
	if err != nil {
		return account, manager.Lock{}, err
	}
	l, err := s.store.LockShared(account.Key, false)
	return account, l, err
}

func (a *app) logIn(s scene, account manager.Account, flags []string) error {
	real, err := a.codex(s)
	if err != nil {
		return err
	}
	env := s.Environment(shim.Ready{Account: account, Root: s.Root, Settings: s.settings})
	if err := a.runChild(real.Path, append([]string{"login"}, flags...), env); err != nil {
		return err
	}
	if login := account.Login(s.Root.SharedHome.Path); login.Mode == "none" {
		return errors.New("codex login ended without a login")
	}
	return nil
}

// undo takes back an account whose login did not come about, unless someone has begun to use it.
func (a *app) undo(s scene, account manager.Account, why error) error {
	var ended exited
	if errors.As(why, &ended) {
		why = fmt.Errorf("codex login ended with status %d: account %q is not added", int(ended), account.Meta.Label)
	}
	l, err := s.store.LockExclusive(account.Key)
	if err != nil {
		return errors.Join(why, fmt.Errorf("account %q stays: %w", account.Meta.Label, err))
	}
	defer l.Release()
	return errors.Join(why, s.store.Delete(account))
}
