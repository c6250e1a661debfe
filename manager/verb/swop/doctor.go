// Package swop has the verbs about swop itself: its installation, its version, and what to type next.
package swop

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"swop/account"
	"swop/account/appserver"
	"swop/install"
	"swop/internal/home"
	"swop/manager/doctor"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/manager/verb/homes"
	"swop/say"
)

func Doctor(call *verb.Call) *cobra.Command {
	var fix bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Examine the installation and the accounts",
		Long: "Examine the installation and the accounts: one line for each check, with a hint where there is something to do.\n" +
			"What the next start of codex repairs by itself is no warning; what it cannot repair is one, with the reason and what to do.\n" +
			"The exit status is 1 if there is a problem; warnings do not count.",
		Example: verb.Example("codex swop doctor", "codex swop doctor --fix    fix what is safe to fix", "codex swop doctor --json"),
		Args:    verb.Takes(0),
		RunE: func(*cobra.Command, []string) error {
			if fix {
				fixAll(call)
			}
			return runDoctor(call)
		},
	}
	call.JSONFlag(cmd)
	cmd.Flags().BoolVar(&fix, "fix", false, "fix what is safe to fix")
	return cmd
}

// doctorAnswer is the answer of the verb, as --json prints it.
type doctorAnswer struct {
	SchemaVersion int              `json:"schema_version"`
	Checks        []doctor.Finding `json:"checks"`
}

func runDoctor(call *verb.Call) error {
	_, subject := subjectOf(call)
	answer := doctorAnswer{1, subject.Examine()}
	err := verb.Print(call, answer, showFindings)
	if err == nil && doctor.Any(answer.Checks, doctor.Problem) {
		return verb.Exited(verb.StatusFailed)
	}
	return err
}

// subjectOf returns what doctor examines, as far as it can be read.
func subjectOf(call *verb.Call) (s verb.Setup, subject doctor.Subject) {
	s, err := call.Look()
	subject = doctor.Subject{Invocation: s.Invocation, Store: s.Store, Settings: s.Settings, Err: err, Program: call.Executable, Now: call.Now}
	subject.Completions = scripts(call.Executable)
	if err == nil {
		subject.Choice, subject.ChoiceErr = s.Here()
	}
	return s, subject
}

// showFindings prints the findings for people. Hints stay in one line each: they are pasted.
func showFindings(call *verb.Call, answer doctorAnswer) error {
	const margin = "         "
	width := call.Width() - len(margin)
	colours := map[string]terminal.Style{doctor.OK: terminal.Green, doctor.Warning: terminal.Yellow, doctor.Problem: terminal.Red}
	var lines []string
	for i, f := range answer.Checks {
		if i == 0 || f.Group != answer.Checks[i-1].Group {
			lines = append(lines, "", call.Paint(terminal.Bold, f.Group))
		}
		text := say.Fold(say.Printable(f.Name+": "+f.Text), width, 0)
		lines = append(lines, call.Paint(colours[f.State], fmt.Sprintf("%-8s", f.State))+" "+text[0])
		for _, line := range text[1:] {
			lines = append(lines, margin+line)
		}
		if f.Hint != "" {
			lines = append(lines, margin+"hint: "+say.Printable(f.Hint))
		}
	}
	return call.Show(lines[1:]) // the first is the empty line before a group
}

// fixAll repairs what is safe to repair, and says what it did: nothing of the user's is removed, no session is disturbed, no decision is made
// that is the user's. The checks report what stays.
func fixAll(call *verb.Call) {
	s, subject := subjectOf(call)
	if s.Home == "" || s.Owned() != nil {
		return
	}
	fixModes(call, s.Places.Root)
	fixInstallation(call, subject)
	if s, subject = subjectOf(call); subject.Err != nil {
		return
	}
	fixTrash(s)
	accounts, _ := s.Store.Accounts() // the checks report those that cannot be read
	for _, acct := range accounts {
		fixEntries(s, acct)
		fixServer(s, acct)
	}
}

// fixed says what was fixed, or why it was not.
func fixed(call *verb.Call, err error, format string, args ...any) {
	if err != nil {
		call.Say("not fixed: %v", err)
		return
	}
	call.Say("fixed: "+format, args...)
}

// fixModes closes to others what is ours: the root and its directories, the sandboxes and the logins in them. A root is
// known by its root.json: SWOP_ROOT may name anything.
func fixModes(call *verb.Call, root string) {
	if info, err := os.Lstat(filepath.Join(root, "root.json")); err != nil || !info.Mode().IsRegular() {
		return
	}
	for _, pattern := range []string{".", "*", "accounts/*", "accounts/*/home", "accounts/*/home/.codex", "accounts/*/home/.codex/auth.json"} {
		found, _ := fs.Glob(os.DirFS(root), pattern) // fails for a bad pattern alone
		for _, name := range found {
			tighten(call, filepath.Join(root, name))
		}
	}
}

// fixInstallation takes the right to write the installed files from others, and installs again where that repairs something.
func fixInstallation(call *verb.Call, subject doctor.Subject) {
	for _, file := range subject.Writable() {
		if file.Owner < 0 {
			fixed(call, os.Chmod(file.Path, file.Mode&^0o022), "%s can be written by you alone now", say.Name(file.Path))
		}
	}
	o, needed := subject.Reinstall()
	if !needed {
		return
	}
	report, err := install.Install(o)
	for _, c := range report.Changes {
		fixed(call, nil, "%s %s", say.Name(c.Path), c.Action)
	}
	if err != nil {
		fixed(call, err, "")
	}
}

func fixTrash(s verb.Setup) {
	before, err := s.Store.Leftovers()
	if err != nil || len(before) == 0 {
		return
	}
	err = s.Store.EmptyTrash()
	after, _ := s.Store.Leftovers() // the checks report those that stay
	if n := len(before) - len(after); n > 0 || err != nil {
		fixed(s.Call, err, "finished %s", terminal.Counted(n, "removal", "removals"))
	}
}

// fixEntries repairs the entries of the sandbox, as every start of codex does.
func fixEntries(s verb.Setup, acct account.Account) {
	before, err := home.Examine(s.Store, acct, s.Root, s.Settings)
	if err != nil || len(before) == 0 {
		return
	}
	if err = homes.SyncOne(s, acct); err != nil {
		err = fmt.Errorf("account %q: %w", acct.Meta.Label, err)
	}
	after, unknown := home.Examine(s.Store, acct, s.Root, s.Settings)
	if n := len(before) - len(after); err != nil || unknown == nil && n > 0 {
		fixed(s.Call, err, "%s of %q", terminal.Counted(n, "entry", "entries"), acct.Meta.Label)
	}
}

// fixServer stops a background server that still uses an old login, unless it runs a turn: the next codex starts another.
func fixServer(s verb.Setup, acct account.Account) {
	old, err := doctor.OldServers(acct, s.Now())
	if err != nil || len(old) == 0 {
		return
	}
	err = appserver.Stop(context.Background(), s.StopOptions(acct.CodexHome(), s.InAccount(acct)))
	fixed(s.Call, err, "stopped %s of %q, which still used an old login", terminal.Counted(len(old), "background server", "background servers"), acct.Meta.Label)
}
