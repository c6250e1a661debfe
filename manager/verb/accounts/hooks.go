//go:build unix

package accounts

import (
	"fmt"

	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/say"
	"swop/session"
	"swop/shim"
)

// changeLoginOf is what a call of codex login or logout asks and does first, in the account with the label.
func changeLoginOf(call *verb.Call, label string) error {
	s, acct, err := find(call, label)
	if err != nil {
		return err
	}
	if err := mayChange(s, acct, loginChange{args: call.Args, logsIn: shim.LogsIn(call.Args)}); err != nil {
		return err
	}
	return s.StopServer(acct, verb.NoForce)
}

// stopServerOf stops the background server of the account with the label.
func stopServerOf(call *verb.Call, label string) error {
	s, acct, err := find(call, label)
	if err != nil {
		return err
	}
	return s.StopServer(acct, verb.NoForce)
}

// mayCreate asks the person at the terminal, if there is one, whether a start is to create the account.
func mayCreate(call *verb.Call, label string) error {
	if !call.IsInteractive() {
		return nil
	}
	yes, err := terminal.Confirm(fmt.Sprintf("account %q does not exist. Create it, without a login?", label))
	return say.WithHint(orCancelled("no account was created")(yes, err), "codex swop add "+say.ShellQuote(label))
}

// Hooks returns what a call of codex asks of swop on its way: see [session.Hooks].
func Hooks(call *verb.Call) session.Hooks {
	return session.Hooks{
		Watch:       call.Watch,
		ChangeLogin: func(label string) error { return changeLoginOf(call, label) },
		StopServer:  func(label string) error { return stopServerOf(call, label) },
		Create:      func(label string) error { return mayCreate(call, label) },
		Now:         call.Now,
	}
}
