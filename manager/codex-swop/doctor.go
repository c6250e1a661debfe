//go:build unix

package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"swop/say"
	"swop/shim/session"
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
		a.fix(askLimit)
	}
	checks := a.examine(askLimit)
	a.nameUs(checks)
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

// nameUs makes the hints that call swop call it by its path where codex is another's: that would take them for a prompt.
func (a *app) nameUs(checks []check) {
	us := a.shimCommand(session.FindCaller(a.env).Env.Value("PATH"))
	for i, c := range checks {
		if rest, ok := strings.CutPrefix(c.Hint, "codex swop "); ok {
			checks[i].Hint = us + " swop " + rest
		}
	}
}

// tellChecks prints the checks for people. Hints stay in one line each: they are pasted.
func (a *app) tellChecks(checks []check) error {
	const margin = "         "
	width, indent := a.width(), len(margin)
	if width < narrow {
		indent = 2
	}
	var lines []string
	for _, c := range checks {
		text := fold(say.Printable(fmt.Sprintf("%s: %s", c.Name, c.Text)), width-len(margin), 0)
		lines = append(lines, a.paint(colourOf(c.State), fmt.Sprintf("%-8s", c.State))+" "+text[0])
		for _, line := range fold(strings.Join(text[1:], " "), width-indent, 0) {
			if line != "" {
				lines = append(lines, strings.Repeat(" ", indent)+line)
			}
		}
		if c.Hint != "" {
			lines = append(lines, strings.Repeat(" ", indent)+"hint: "+say.Printable(c.Hint))
		}
	}
	return a.show(lines)
}

func colourOf(state string) style {
	switch state {
	case stateWarning:
		return yellow
	case stateProblem:
		return red
	}
	return green
}

// examine runs all checks. A check that cannot be made is a problem, and those that rest on it are left out.
func (a *app) examine(limit time.Duration) []check {
	s, err := a.look()
	checks := a.checkPath(s.Env)
	if s.Home != "" && s.Owned() == nil { // else the next check says it
		state, more := a.checkState(s, limit)
		a.hintForEditor(&checks[0], s.Env, state)
		checks = append(checks, more...)
	}
	if err != nil {
		return append(checks, failed("files", err))
	}
	checks = append(checks, fine("files", "the root %s and the configuration in %s can be used", s.Places.Root, s.Places.Config))
	codex, release := a.checkCodex(s, codexLimit)
	checks = append(checks, codex, a.checkChoice(s))
	checks = append(checks, checkEnvironment(s)...)
	accounts, err := s.store.Accounts()
	for _, defect := range each(err) {
		checks = append(checks, failed("accounts", defect))
	}
	checks = append(checks, checkHomeTools(s, accounts)...)
	if len(accounts) == 0 && s.Root.SharedHome.Path != "" {
		if err := s.Root.Check(); err != nil {
			checks = append(checks, failed("shared home", err))
		}
	}
	for _, acct := range accounts {
		checks = append(checks, a.checkAccount(s, acct, release)...)
	}
	return append(checks, checkDisplaced(s), checkTrash(s))
}

// each returns the errors that were joined into err.
func each(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // this one, not one that it wraps
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
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
