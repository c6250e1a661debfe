package accounts

import (
	"fmt"
	"path/filepath"

	"swop/internal/account"
	"swop/internal/say"
	"swop/internal/session"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/shim"
)

// Hooks returns what a call of codex asks of swop on its way: see [session.Hooks].
func Hooks(call *verb.Call) session.Hooks {
	return session.Hooks{
		ChangeLogin: func(label string) error {
			s, err := call.Look()
			if err != nil {
				return err
			}
			acct, err := s.Store.Find(label)
			if err != nil {
				return err
			}
			if err := mayChange(s, acct, loginChange{args: call.Args, logsIn: shim.LogsIn(call.Args)}); err != nil {
				return err
			}
			return endLogin(s, acct)
		},
		Create: func(label string) error { return mayCreate(call, label) },
		Now:    call.Now,
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

// RunIn runs a program, or codex for "", as a session of the account, with what runs beside one. A failure of the program is an
// [verb.Exited].
func RunIn(s verb.Setup, acct account.Account, program string, command []string) error {
	real, missing := s.Codex()
	if program == "" && missing != nil {
		return missing
	}
	ready, err := s.Ready(acct.Meta.Label)
	if err != nil {
		return err
	}
	d := shim.Decision{Invocation: s.Invocation, Settings: s.Settings, Prepared: ready, Args: command, Env: s.Environment(ready)}
	if program == "" || ready.Policy != "" && missing == nil { // a confined session does not write it
		d.Program = real
	}
	if program != "" && ready.Policy != "" {
		if program, err = filepath.Abs(program); err != nil {
			return err
		}
	}
	c := shim.Call{Args: command, Env: s.Environ, Stderr: s.Stderr, Now: s.Now(), Executable: func() (string, error) { return s.Shim(), nil }}
	status, err := session.RunProgram(c, Hooks(s.Call), &d, program)
	if err != nil {
		say.Error(s.Stderr, err)
		return verb.Exited(126)
	}
	return verb.Exited(status)
}
