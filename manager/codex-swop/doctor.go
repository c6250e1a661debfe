//go:build unix

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) doctorCommand() *cobra.Command {
	var asJSON, fix bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Examine the installation and the accounts",
		Long: "Examine the installation and the accounts: a line for each check, with a hint where something is to be done.\n" +
			"The exit status is 1 if there is a problem; warnings do not count.",
		Example: example("codex swop doctor", "codex swop doctor --fix    mend what is safe to mend", "codex swop doctor --json"),
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return a.doctor(asJSON, fix) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&fix, "fix", false, "mend what is safe to mend")
	return cmd
}

// The states of a check.
const (
	stateOK      = "ok"
	stateWarning = "warning"
	stateProblem = "problem"
)

// check is the result of one check.
type check struct {
	Name  string `json:"name"`
	State string `json:"state"`
	Text  string `json:"text"`
	Hint  string `json:"hint,omitempty"`
}

func fine(name, format string, args ...any) check {
	return check{name, stateOK, fmt.Sprintf(format, args...), ""}
}

func warn(name, hint, format string, args ...any) check {
	return check{name, stateWarning, fmt.Sprintf(format, args...), hint}
}

func problem(name, hint, format string, args ...any) check {
	return check{name, stateProblem, fmt.Sprintf(format, args...), hint}
}

// doctorAnswer is the answer of the verb, as --json prints it.
type doctorAnswer struct {
	SchemaVersion int     `json:"schema_version"`
	Checks        []check `json:"checks"`
}

func (a *app) doctor(asJSON, fix bool) error {
	if fix {
		a.fix()
	}
	checks := a.examine()
	if asJSON {
		if err := writeJSON(a.stdout, doctorAnswer{1, checks}); err != nil {
			return err
		}
	} else if err := a.tellChecks(checks); err != nil {
		return err
	}
	for _, c := range checks {
		if c.State == stateProblem {
			return exited(statusFailed)
		}
	}
	return nil
}

func (a *app) tellChecks(checks []check) error {
	for _, c := range checks {
		if err := line(a.stdout, fmt.Sprintf("%-8s %s: %s", c.State, c.Name, c.Text)); err != nil {
			return err
		}
		if c.Hint != "" {
			if err := line(a.stdout, "         hint: "+c.Hint); err != nil {
				return err
			}
		}
	}
	return nil
}

// fix mends what every verb mends at its start, for all accounts, and says what it did.
func (a *app) fix() {
	s, err := a.look()
	if err != nil || s.store.EmptyTrash() != nil {
		return // the checks say it
	}
	accounts, _ := s.store.Accounts() // those that cannot be read are said by the checks
	for _, account := range accounts {
		before, err := s.store.Examine(account, s.Root, s.settings)
		if err != nil || len(before) == 0 {
			continue
		}
		if err := a.syncOne(s, account); err != nil {
			continue
		}
		after, err := s.store.Examine(account, s.Root, s.settings)
		if err == nil && len(after) < len(before) {
			a.say("mended %d entries of %q", len(before)-len(after), account.Meta.Label)
		}
	}
}

// examine runs all checks. A check that cannot be made is a problem, and those that rest on it are left out.
func (a *app) examine() []check {
	checks := []check{a.checkPath()}
	s, err := a.look()
	if err != nil {
		return append(checks, failed("files", err))
	}
	checks = append(checks, fine("files", "the root %s and the configuration in %s can be used", s.Places.Root, s.Places.Config))
	codex, release := a.checkCodex(s)
	checks = append(checks, codex, a.checkChoice(s))
	checks = append(checks, checkEnvironment(s)...)
	accounts, err := s.store.Accounts()
	if err != nil {
		checks = append(checks, failed("accounts", err))
	}
	checks = append(checks, checkHomeTools(s, accounts)...)
	if len(accounts) == 0 && s.Root.SharedHome.Path != "" {
		if err := s.Root.Check(); err != nil {
			checks = append(checks, failed("shared home", err))
		}
	}
	for _, account := range accounts {
		checks = append(checks, a.checkAccount(s, account, release)...)
	}
	return append(checks, checkDisplaced(s), checkTrash(s))
}

func failed(name string, err error) check {
	hint := ""
	if hints := hintsOf(err); len(hints) > 0 {
		hint = hints[0]
	}
	var ended exited
	if errors.As(err, &ended) {
		return problem(name, hint, "ended with status %d", int(ended))
	}
	return problem(name, hint, "%v", err)
}
