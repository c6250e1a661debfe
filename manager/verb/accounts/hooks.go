package accounts

import (
	"fmt"

	"swop/account"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/say"
	"swop/session"
	"swop/shim"
)

// Hooks returns what a call of codex asks of swop on its way: see [session.Hooks].
func Hooks(call *verb.Call) session.Hooks {
	in := func(do func(verb.Setup, account.Account) error) func(label string) error {
		return func(label string) error {
			s, err := call.Look()
			if err != nil {
				return err
			}
			acct, err := s.Store.Find(label)
			if err != nil {
				return err
			}
			return do(s, acct)
		}
	}
	stop := func(s verb.Setup, acct account.Account) error { return s.StopServer(acct, verb.NoForce) }
	return session.Hooks{
		Watch: call.Watch,
		ChangeLogin: in(func(s verb.Setup, acct account.Account) error {
			if err := mayChange(s, acct, loginChange{args: call.Args, logsIn: shim.LogsIn(call.Args)}); err != nil {
				return err
			}
			return stop(s, acct)
		}),
		StopServer: in(stop),
		Create:     func(label string) error { return mayCreate(call, label) },
		Now:        call.Now,
	}
}

// mayCreate asks the person at the terminal, if there is one, whether a start is to create the account.
func mayCreate(call *verb.Call, label string) error {
	if !call.IsInteractive() {
		return nil
	}
	err := terminal.ConfirmOr(fmt.Sprintf("account %q does not exist. Create it, without a login?", label), "no account was created")
	return say.WithHint(err, "codex swop add "+say.ShellQuote(label))
}
