// Package swop, swop's own, has the verbs about swop itself: doctor, install, uninstall, completion, version, and codex swop alone.
package swop

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/manager/doctor"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/manager/verb/homes"
)

// treatment has the flags of doctor that change something.
type treatment struct {
	fix        bool
	sharedHome string
}

func Doctor(call *verb.Call) *cobra.Command {
	var t treatment
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Examine the installation and the accounts",
		Long: "Examine the installation and the accounts: one line for each check, with a hint where there is something to do.\n" +
			"What the next start of codex repairs by itself is not named; what it cannot repair is, with the reason and what to do.\n" +
			"The exit status is 1 if there is a problem; warnings do not count.",
		Example: verb.Example("codex swop doctor", "codex swop doctor --fix                repair the links of all accounts",
			"codex swop doctor --shared-home DIR    after moving ~/.codex there"),
		Args: verb.Takes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := verb.Exclusive(cmd, "shared-home", "fix", "json"); err != nil {
				return err
			}
			switch {
			case t.sharedHome != "":
				return verb.With(call.Look, func(s verb.Setup, _ []string) error { return homes.MoveSharedHome(s, t.sharedHome) })(cmd, args)
			case t.fix:
				if err := fixAll(call); err != nil {
					return err
				}
			}
			return runDoctor(call)
		},
	}
	call.JSONFlag(cmd)
	cmd.Flags().BoolVar(&t.fix, "fix", false, "repair the links of all accounts")
	cmd.Flags().StringVar(&t.sharedHome, "shared-home", "", "let all accounts share `DIR`, to which you have moved ~/.codex")
	return cmd
}

// doctorAnswer is the answer of the verb, as --json prints it.
type doctorAnswer struct {
	SchemaVersion int              `json:"schema_version"`
	Checks        []doctor.Finding `json:"checks"`
}

func runDoctor(call *verb.Call) error {
	s, err := call.Look()
	answer := doctorAnswer{1, doctor.Examine(s, err)}
	err = verb.Print(call, answer, showFindings)
	if err == nil && slices.ContainsFunc(answer.Checks, func(f doctor.Finding) bool { return f.State == doctor.Problem }) {
		return verb.Exited(verb.StatusFailed)
	}
	return err
}

// showFindings prints the findings for people. Each hint is one line, which can be pasted.
func showFindings(call *verb.Call, answer doctorAnswer) error {
	const margin = "         "
	colours := map[string]terminal.Style{doctor.OK: terminal.Green, doctor.Warning: terminal.Yellow, doctor.Problem: terminal.Red}
	var lines []string
	for i, f := range answer.Checks {
		if i == 0 || f.Group != answer.Checks[i-1].Group {
			lines = append(lines, "", call.Paint(terminal.Bold, f.Group))
		}
		text := say.Fold(say.Printable(f.Name+": "+f.Text), call.Width()-len(margin), 0)
		lines = append(lines, call.Paint(colours[f.State], fmt.Sprintf("%-8s", f.State))+" "+strings.Join(text, "\n"+margin))
		if f.Hint != "" {
			lines = append(lines, margin+"hint: "+say.Printable(f.Hint))
		}
	}
	return call.Show(lines[1:]) // the first is the empty line before a group
}

// fixAll repairs the links of all accounts, as each start of codex does for one. The checks report the rest.
func fixAll(call *verb.Call) error {
	s, err := call.Look()
	if err != nil {
		return nil
	}
	if err := mayMoveHome(s); err != nil {
		return err
	}
	if s, err = call.Look(); err != nil { // the shared home is another one now
		return err
	}
	accounts, _ := s.Store.Accounts() // the checks report those that cannot be read
	if err := homes.SyncAll(s, accounts); err != nil {
		say.Error(s.Stderr, err)
	}
	s.CatchUp()
	return nil
}

// mayMoveHome asks whether the accounts of another HOME, which was moved or copied to this one, are to belong to this one.
func mayMoveHome(s verb.Setup) error {
	accounts, err := s.Store.Accounts()
	at := slices.IndexFunc(accounts, func(a account.Account) bool {
		return a.Meta.RealHome != "" && a.Meta.RealHome != s.Home && !disk.SameFile(a.Meta.RealHome, s.Home)
	})
	if err != nil || at < 0 {
		return nil //nolint:nilerr // the checks report the error
	}
	was := accounts[at].Meta.RealHome
	const question = "The accounts belong to the home %s, and HOME is %s. Let them belong to %[2]s?"
	yes, err := terminal.Confirm(fmt.Sprintf(question, say.Name(was), say.Name(s.Home)))
	switch {
	case errors.Is(err, terminal.ErrNobody):
		return disk.Unsafe("the accounts belong to the home %s, and confirmation needs a terminal", say.Name(was))
	case err != nil || !yes:
		return err
	}
	return homes.MoveHome(s, was)
}
