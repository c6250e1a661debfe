// Package accounts, swop's own, has the verbs that add, list, log in and out, rename and remove accounts.
package accounts

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/store"
	"swop/internal/home"
	"swop/internal/say"
	"swop/internal/session"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/shim"
)

// addition is a call of add.
type addition struct {
	label   string
	file    string // --import
	from    string // --from
	state   account.State
	confine string // a policy, "" for none
	noLogin bool
	login   []string // arguments of codex login
}

func Add(call *verb.Call) *cobra.Command {
	var n addition
	cmd := &cobra.Command{
		Use:   "add [flags] LABEL [FLAGS OF CODEX LOGIN…]",
		Short: "Add an account and log it in",
		Long: "Add an account and log it in with codex login. If that fails or is cancelled, no account is added. The first account, " +
			"added with a login, becomes the active one: plain codex runs as it. To add a second one use a private browser window: the " +
			"normal one is signed in to the first.\n\nFlags that are not listed here are passed to codex login, and so is standard input.",
		Example: verb.Example(
			"codex swop add work                   log in in the browser",
			"codex swop add work --device-auth     or with a code, from anywhere",
			"printenv OPENAI_API_KEY | codex swop add ci --with-api-key",
			"codex swop add work --import ~/.codex/auth.json",
			"codex swop add agent --state private",
			"codex swop add acme --confine workspace-write",
			"codex swop add later --no-login",
		),
		DisableFlagParsing: true,
		Args: func(cmd *cobra.Command, args []string) error {
			return say.WithHint(n.take(cmd, args), "codex swop add --help")
		},
		RunE: verb.With(call.Open, func(s verb.Setup, _ []string) error { return add(s, n) }),
	}
	n.addFlags(cmd.Flags())
	return cmd
}

func (n *addition) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&n.noLogin, "no-login", false, "add it without a login, for codex swop login later")
	flags.StringVar(&n.file, "import", "", "move the login in `FILE`, an auth.json, into the account")
	flags.StringVar(&n.from, "from", "", "move login, transcripts, history and databases from `DIR`")
	flags.StringVar((*string)(&n.state), "state", string(account.StateShared), "`STATE` of sessions and history: shared or private")
	flags.StringVar(&n.confine, "confine", "", "confine its sessions by `POLICY`: "+strings.Join(config.Policies()[1:], ", "))
}

// take reads the arguments: the verb's own flags, the label, and the arguments of codex login.
func (n *addition) take(cmd *cobra.Command, args []string) error {
	rest, err := ownFlags(cmd, args)
	if err != nil {
		return verb.Usagef("%w", err)
	}
	if err := verb.RefuseEmpty(cmd); err != nil {
		return err
	}
	at := slices.IndexFunc(rest, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	if at < 0 {
		return verb.Usagef("missing LABEL")
	}
	n.label = rest[at]
	n.login = slices.Delete(rest, at, at+1)
	return n.check()
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
		return verb.Usagef("--state must be shared or private, not %q", n.state)
	case n.confine != "" && !slices.Contains(config.Policies()[1:], n.confine):
		return verb.Usagef("--confine %q is not one of: %s", n.confine, strings.Join(config.Policies()[1:], ", "))
	case n.confine != "" && n.from != "":
		return verb.Usagef("--confine and --from exclude each other: a confined account has a fresh codex home")
	case ways > 1:
		return verb.Usagef("--no-login, --import, --from and flags of codex login exclude each other")
	case len(n.login) > 0 && !strings.HasPrefix(n.login[0], "-"):
		return verb.Usagef("unexpected argument %q", n.login[0])
	}
	return nil
}

func add(s verb.Setup, n addition) error {
	first := isFirst(s, n.label)
	if err := addAs(s, n); err != nil {
		return err
	}
	acct, err := s.Store.Find(n.label)
	if err != nil {
		return err
	}
	session.WarnOfTwin(s.Stderr, s.Store, acct)
	first = first && !n.noLogin && login.MayHaveLogin(acct) // else codex would lose the login that it has without an account
	next := "; make it the active one with: codex swop use " + say.ShellQuote(n.label)
	switch {
	case n.noLogin:
		next = "; log in with: codex swop login " + say.ShellQuote(n.label)
	case first:
		next = ""
	}
	if n.from == "" { // takeOver has said more
		s.Say("added account %q%s", n.label, next)
	}
	if first {
		return activateFirst(s, n.label)
	}
	return nil
}

// addAs adds the account in the way that the flags name.
func addAs(s verb.Setup, n addition) error {
	if n.from != "" {
		return takeOver(s, n)
	}
	if err := mayAdd(s, n); err != nil {
		return err
	}
	if err := n.offerLogin(s); err != nil {
		return err
	}
	switch {
	case n.noLogin:
		acct, err := s.Store.Create(newAccount(s, n))
		if err == nil && !s.Store.LastUse(acct.Key).IsZero() { // else the first start makes its links
			err = s.Reconcile(acct, home.Options{Idle: home.InUse})
		}
		return err
	case n.file != "":
		return addImported(s, n)
	}
	return addWithLogin(s, n, func(s verb.Setup, acct account.Account) error { return logIn(s, acct, n.login) })
}

// mayAdd refuses what cannot work before anything is created.
func mayAdd(s verb.Setup, n addition) error {
	key, err := config.NewKey(n.label)
	if err != nil {
		return err
	}
	if there, err := s.Store.Account(key); err == nil {
		err := fmt.Errorf("account %q %w", there.Meta.Label, account.ErrExists)
		label := say.ShellQuote(there.Meta.Label)
		return say.WithHint(say.WithHint(err, "to log it in again: codex swop login "+label), "to make it the active one: codex swop use "+label)
	} else if !errors.Is(err, account.ErrNoAccount) {
		return err
	}
	for _, other := range s.Store.Elsewhere(s.Env, key) {
		s.Say("another account %q is in %s: %s", n.label, say.Name(other.Dir), other.Line)
	}
	err = login.CheckStore(&s.Settings, &account.Meta{Label: n.label, Key: key, Confine: n.confine}, s.SharedHome())
	if err != nil || n.noLogin || n.file != "" {
		return err
	}
	if len(n.login) == 0 && !s.IsInteractive() {
		err := verb.Usagef("login needs a terminal")
		if l, there := loginThere(s); there {
			way := fmt.Sprintf("codex swop add %s --import %s", say.ShellQuote(n.label), say.ShellQuote(outsideLogin(s)))
			err = say.WithHint(err, fmt.Sprintf("codex has a login: %s; to move it in: %s", l.Text(), way))
		}
		return say.WithHint(err, n.ways()[1])
	}
	_, err = s.Codex()
	return err
}

// loginThere returns the login that codex has without an account, if it can be moved into an account, and no account has the same login.
func loginThere(s verb.Setup) (login.Login, bool) {
	l, free := login.OfNone(outsideLogin(s), s.Store.Accounts)
	return l, free && checkImport(s, outsideLogin(s)) == nil
}

// offerLogin offers the person at the terminal to move in the login that codex has already: a new one in the browser would be of the same
// user.
func (n *addition) offerLogin(s verb.Setup) error {
	if n.noLogin || n.file != "" || len(n.login) > 0 || !s.IsInteractive() {
		return nil
	}
	l, there := loginThere(s)
	if !there {
		return nil
	}
	const question = "codex has a login, %s, in %s. Move it into %q?"
	yes, err := terminal.Offer(fmt.Sprintf(question, l.Text(), say.Name(outsideLogin(s)), n.label))
	if yes {
		n.file = outsideLogin(s)
	}
	return err
}

func newAccount(s verb.Setup, n addition) store.New {
	if n.confine != "" {
		n.state = account.StatePrivate
	}
	return store.New{Label: n.label, State: n.state, Confine: n.confine, SharedHome: s.SharedHome(), Now: s.Now()}
}

// addWithLogin creates the account, and lets getLogin bring its login. If that fails, the account is removed again.
func addWithLogin(s verb.Setup, n addition, getLogin func(verb.Setup, account.Account) error) error {
	acct, l, err := s.Store.Begin(newAccount(s, n)) // marked unfinished: if this run is killed, the next one removes it
	if err != nil {
		return err
	}
	s.Root, err = store.ReadRoot(s.Places.Root)
	if err == nil {
		err = s.Reconcile(acct, home.Options{Idle: home.InUse})
	}
	if err == nil {
		err = getLogin(s, acct)
	}
	if err == nil {
		defer l.Release()
		return s.Store.Finish(acct)
	}
	l.Release()
	return n.undo(s, acct, err)
}

func logIn(s verb.Setup, acct account.Account, flags []string) error {
	ready := shim.Prepared{Account: acct, Root: s.Root, Settings: s.Settings} // its lock is held
	acct.Meta.LastUsedAt = account.Seconds(s.Now())                           // by codex login
	if login.Of(acct).MayBeInKeyring() {
		s.Store.Touch(acct.Key, acct.Meta.LastUsedAt) // no file will tell that a login is there
	}
	err := RunIn(s, ready, session.Codex, append([]string{"codex", "login"}, flags...))
	if err == nil && login.Of(acct).Mode == "none" {
		err = errNoLogin
	}
	return err
}

var errNoLogin = errors.New("codex login ended without a login")

// ways returns the command lines that add the account. Codex's own advice after a failed login is for the active account.
func (n addition) ways() (lines []string) {
	words := []string{"codex swop add", say.ShellQuote(n.label)}
	if n.confine != "" {
		words = append(words, "--confine", n.confine)
	} else if n.state != account.StateShared {
		words = append(words, "--state", string(n.state))
	}
	line := strings.Join(words, " ")
	return []string{line, "printenv OPENAI_API_KEY | " + line + " --with-api-key"}
}

// undo removes an account that got no login, unless a session has begun to use it. An account that holds a login stays, whatever failed
// later: the login may have no other copy.
func (n addition) undo(s verb.Setup, acct account.Account, why error) error {
	ended, ok := errors.AsType[verb.Exited](why)
	if ok {
		if ended < 0 { // by a signal
			ended = 128 - ended
		}
		why = fmt.Errorf("codex login ended with status %d", int(ended))
		if !login.HoldsLogin(acct) {
			why = fmt.Errorf("%w: account %q is not added", why, acct.Meta.Label)
		}
	}
	l, err := s.Store.LockExclusive(acct.Key)
	if err != nil {
		return errors.Join(why, fmt.Errorf("account %q stays: %w", acct.Meta.Label, err))
	}
	defer l.Release()
	if login.HoldsLogin(acct) {
		stays := fmt.Sprintf("account %q has an auth.json, and stays; to remove it: codex swop remove ", acct.Meta.Label)
		why = say.WithHint(why, stays+say.ShellQuote(acct.Meta.Label))
		return errors.Join(why, s.Store.Finish(acct))
	}
	err = s.Homes().Discard(acct, nil)
	if ended == verb.StatusQuit && err == nil {
		s.Say("cancelled; account %q is not added", acct.Meta.Label)
		for _, line := range n.ways() {
			s.Say("hint: %s", line)
		}
		return ended
	}
	if why = errors.Join(why, err); ok || errors.Is(why, errNoLogin) {
		for _, line := range n.ways() {
			why = say.WithHint(why, line)
		}
	}
	return why
}

// isFirst reports whether there is no other account than the one with the label.
func isFirst(s verb.Setup, label string) bool {
	accounts, err := s.Store.Accounts()
	return err == nil && !slices.ContainsFunc(accounts, func(a account.Account) bool { return !config.HasKey(label, a.Key) })
}

// activateFirst makes the new account the active one, unless one is active, and says so: plain codex would still run without an account,
// and log in outside of all of them.
func activateFirst(s verb.Setup, label string) error {
	activated := false
	err := s.Store.ChangeSelector(func(sel *config.Selector) error {
		if activated = sel.Account == ""; activated {
			sel.Account = label
		}
		return nil
	})
	if err == nil && activated {
		s.Say("codex runs as %q from now on: it is the first account%s", label, s.ExceptHere(label, shim.BySelector))
	}
	return say.WithHint(err, "codex swop use "+say.ShellQuote(label))
}
