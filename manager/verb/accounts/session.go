package accounts

import (
	"fmt"
	"path/filepath"

	"swop/internal/say"
	"swop/internal/session"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/shim"
)

// Reader returns what answers the questions of a call of codex, and asks at the terminal.
func Reader(call *verb.Call) *session.Reader {
	return &session.Reader{
		Stderr: call.Stderr, Now: call.Now,
		ChangeLogin: func(label string) error {
			s, err := call.Look()
			if err != nil {
				return err
			}
			acct, err := s.Store.Find(label)
			if err != nil {
				return err
			}
			if err := mayChange(s, acct, loginChange{args: call.Args}); err != nil {
				return err
			}
			return endLogin(s, acct)
		},
		Create: func(label string) error { return mayCreate(call, label) },
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

// RunIn runs a program, or [session.Codex], as a session of the prepared account, with its bridges and its confinement. The error for a
// status other than 0 is a [verb.Exited].
func RunIn(s verb.Setup, ready shim.Prepared, program string, command []string) error {
	real, err := s.Codex()
	if program == session.Codex && err != nil {
		return err
	}
	d := shim.Decision{Invocation: s.Invocation, Settings: s.Settings, Prepared: ready, Args: command, Env: s.Environment(ready)}
	d.ChangesLogin = program == session.Codex && shim.ChangesLogin(command)
	if program == session.Codex || ready.Policy != "" && err == nil { // a confined session gets codex read-only
		d.Program = real
	}
	if program != session.Codex && ready.Policy != "" {
		if program, err = filepath.Abs(program); err != nil {
			return err
		}
	}
	c := shim.Call{Args: command, Env: s.Environ, Stderr: s.Stderr, Now: s.Now, Executable: func() (string, error) { return s.Shim(), nil }}
	status, err := session.RunProgram(c, &d, program)
	if err == nil && status != 0 {
		err = verb.Exited(status)
	}
	return err
}
