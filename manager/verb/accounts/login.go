package accounts

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/disk"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/internal/session"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/shim"
)

func Login(call *verb.Call) *cobra.Command {
	cmd := authCommand(call, "login", "Log an account in with codex login",
		"codex swop login work", "codex swop login work --device-auth", "codex swop login work status")
	cmd.Long += " A login that the account has is replaced once the new one is there; if that fails or is cancelled, it stays. It is not " +
		"revoked at OpenAI: for that, log out first."
	cmd.ValidArgsFunction = verb.CompleteWords(call.Complete(verb.Labels))
	return cmd
}

func Logout(call *verb.Call) *cobra.Command {
	return authCommand(call, "logout", "Log an account out, which revokes its login at OpenAI",
		"codex swop logout work", "codex swop logout work --yes")
}

// authCommand returns a verb that runs the codex command of the same name in an account. The arguments behind the label go to codex, except
// for the flags of the verb.
func authCommand(call *verb.Call, name, short string, examples ...string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   name + " LABEL [FLAGS OF CODEX " + strings.ToUpper(name) + "…]",
		Short: short,
		Long: short + ". It says whose login ends, and whether sessions use it, and asks on a terminal; without one it needs --yes. " +
			"The account's background server is stopped first: it would go on with the old login.",
		Example:            verb.Example(examples...),
		ValidArgsFunction:  verb.CompleteWords(call.Complete(verb.Labels)),
		DisableFlagParsing: true,
	}
	var rest []string // what goes to codex, after the label
	yes := cmd.Flags().BoolP("yes", "y", false, "do not ask")
	cmd.Args = func(cmd *cobra.Command, args []string) (err error) {
		if rest, err = ownFlags(cmd, args); err != nil {
			return verb.WrongUsage(cmd, "%w", err)
		}
		return verb.Needs("LABEL")(cmd, rest)
	}
	cmd.RunE = verb.With(call.Open, func(s verb.Setup, _ []string) error {
		return auth(s, rest[0], append([]string{"codex", name}, rest[1:]...), loginChange{ours: true, yes: *yes})
	})
	return cmd
}

// ownFlags parses those of args that are flags of the verb, and returns the others, which go to codex. After --, no flag is the
// verb's. For --help the error is one at which cobra shows the help.
func ownFlags(cmd *cobra.Command, args []string) (rest []string, err error) {
	var own []string
	for len(args) > 0 && args[0] != "--" {
		name, _, joined := strings.Cut(args[0], "=")
		f := cmd.Flags().Lookup(strings.TrimPrefix(name, "--"))
		if len(name) == 2 {
			f = cmd.Flags().ShorthandLookup(name[1:])
		}
		n := 1
		if f == nil || name[0] != '-' {
			rest = append(rest, args[0])
		} else {
			if f.NoOptDefVal == "" && !joined { // its value follows
				n = min(2, len(args))
			}
			own = append(own, args[:n]...)
		}
		args = args[n:]
	}
	err = cmd.Flags().Parse(own)
	if help, _ := cmd.Flags().GetBool("help"); err == nil && help {
		err = pflag.ErrHelp
	}
	return append(rest, args[min(1, len(args)):]...), err
}

// auth runs codex login or logout, whose argv is args, in the account that label names.
func auth(s verb.Setup, label string, args []string, c loginChange) error {
	if _, err := s.Codex(); err != nil {
		return err
	}
	acct, err := s.Store.Find(label)
	if err != nil {
		return err
	}
	if shim.ChangesLogin(args) {
		c.args = args
		if err := mayChange(s, acct, c); err != nil {
			return err
		}
	}
	ready, err := s.Ready(label)
	if err != nil {
		return err
	}
	if shim.ChangesLogin(args) {
		if err := endLogin(s, ready.Account); err != nil {
			return err
		}
	}
	if err := RunIn(s, ready, session.Codex, args); err != nil || !shim.LogsIn(args) {
		return err
	}
	if selector, err := config.ReadSelector(s.Places); err == nil && selector.Account == "" {
		s.Say("make it the active one with: codex swop use %s", say.ShellQuote(label))
	}
	return nil
}

// endLogin stops the server, which would go on with the login that the account has. A reading of limits names the login's owner, and is not
// taken for another login's. Where a login does not tell its owner, as one in the keyring, the reading is removed.
func endLogin(s verb.Setup, acct account.Account) error {
	if login.IdentityOf(acct) == (login.Identity{}) {
		if err := usage.Drop(s.Store.Layout, acct.Key); err != nil {
			return err
		}
	}
	return s.StopServer(acct, verb.StopBusy)
}

// loginChange is a codex login or logout that is about to run.
type loginChange struct {
	args []string // its argv
	ours bool     // a verb of swop; codex's own command goes on, as without swop, where nobody can be asked
	yes  bool     // the flag --yes
}

// mayChange says whose login ends with codex login or logout, and whether sessions use it. It asks the person at the terminal; without a
// terminal a verb of swop refuses unless it has --yes.
func mayChange(s verb.Setup, acct account.Account, c loginChange) error {
	logsIn := shim.LogsIn(c.args)
	if err := login.CheckStore(&s.Settings, &acct.Meta, s.SharedHome()); err != nil && logsIn {
		return err
	}
	if logsIn && !login.HoldsLogin(acct) || !login.MayHaveLogin(acct) {
		return nil
	}
	used := verb.RefuseUse(s, acct)
	if used != nil && !errors.Is(used, account.ErrInUse) {
		return used
	}
	question, ends, stays, hint := "Log it out?", "codex logout ends it", "the account stays logged in", ""
	if logsIn {
		question, ends, stays, hint = "Replace it?", "codex login replaces it", "the login stays", "for another account: codex swop add LABEL"
	}
	command := "codex swop " + c.args[1] + " " + say.ShellQuote(acct.Meta.Label) + " --yes"
	has := fmt.Sprintf("account %q has a login: %s", acct.Meta.Label, login.Of(acct).Text())
	if terminal.Is(s.Stderr) && !c.yes { // a key may come by a pipe
		if used != nil {
			s.Say("%v", used)
		}
		err := terminal.ConfirmOr(has+". "+question, stays)
		if hint != "" {
			err = say.WithHint(err, hint)
		}
		if !errors.Is(err, terminal.ErrNobody) {
			return err
		}
	}
	switch {
	case c.ours && !c.yes && used != nil:
		return say.WithHint(used, "or, with its sessions: "+command)
	case c.ours && !c.yes:
		return say.WithHint(disk.Unsafe("%s; %s", has, ends), command)
	case used != nil:
		s.Say("%v", used)
	}
	s.Say("%s; %s", has, ends)
	return nil
}
