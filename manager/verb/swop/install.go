package swop

import (
	"cmp"
	"path/filepath"

	"github.com/spf13/cobra"

	"swop/install"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/internal/session"
	"swop/manager/verb"
	"swop/shim"
)

func Install(call *verb.Call) *cobra.Command {
	var o install.Options
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install swop's two programs and put them first on PATH",
		Long: "Install swop's two programs in a directory of their own, DIR/bin, and put that first on PATH for new shells:\n" +
			"one line at the end of each start-up file of bash, zsh, fish and PowerShell. Safe to rerun; restores swop's place on PATH.\n" +
			"Where mise or direnv changes PATH before each prompt, the line makes a shell function codex: docs/path.md.",
		Example: verb.Example("codex swop install", "codex swop install --no-modify-path    change no start-up file"),
		Args:    verb.Takes(0),
		RunE:    func(*cobra.Command, []string) error { return runInstall(call, o) },
	}
	cmd.Flags().StringVar(&o.Prefix, "prefix", "", "install below `DIR` (default: $XDG_DATA_HOME/swop, else ~/.local/share/swop)")
	cmd.Flags().StringVar(&o.From, "from", "", "copy the programs from `DIR` (default: this program's directory)")
	cmd.Flags().BoolVar(&o.NoModifyPath, "no-modify-path", false, "change no start-up file")
	return cmd
}

func runInstall(call *verb.Call, o install.Options) error {
	s, err := place(call, &o)
	if err != nil {
		return err
	}
	if o.From == "" {
		o.From = filepath.Dir(call.Executable)
	}
	report, err := install.Install(o)
	if err := printReport(call, report, err); err != nil {
		return err
	}
	sayOthers(call, o)
	shim := programIn(o.Prefix)
	line := install.LineFor(s.Env.Value("SHELL"), o.Prefix)
	switch found, _ := disk.OnPath("codex", s.Env.Value("PATH")); {
	case disk.SameFile(found, shim):
	case report.Started:
		call.Say("new shells run codex through swop; for this one: %s", line)
	default:
		call.Say("to run codex through swop, a shell needs: %s", line)
	}
	if !disk.IsDir(s.Places.Root) {
		call.Say("next: codex swop add work")
		call.Say("to complete verbs and labels: codex swop completion --help")
		call.Say("to see the account in your prompt: codex swop which --help")
	}
	return nil
}

// programIn returns the path of swop's codex in a prefix.
func programIn(prefix string) string { return filepath.Join(prefix, "bin", "codex"+disk.Exe) }

// sayOthers names the other installations of swop, whose programs and lines stay.
func sayOthers(call *verb.Call, o install.Options) {
	for _, other := range install.Others(o.Home, o.Env, programIn(o.Prefix)) {
		call.Say("another swop is installed: %s", other)
		if hint := install.Removes(other); hint != "" {
			call.Say("hint: %s", hint)
		}
	}
}

// place fills in the options that install and uninstall share. A root.json that cannot be read is no reason not to install or uninstall.
func place(call *verb.Call, o *install.Options) (shim.Invocation, error) {
	s, err := session.Look(call.Environ)
	if s.Home == "" {
		return s, err
	}
	if err := s.Owned(); err != nil {
		return s, err
	}
	o.Home, o.Env = s.Home, s.Env
	o.Prefix = cmp.Or(o.Prefix, install.PrefixOf(call.Executable), install.DefaultPrefix(s.Home, s.Env))
	o.Prefix, err = filepath.Abs(o.Prefix)
	return s, err
}

// printReport prints the changes of a run, also one that failed, and returns its error.
func printReport(call *verb.Call, r install.Report, err error) error {
	for _, warning := range r.Warnings {
		say.Error(call.Stderr, warning)
	}
	if err == nil && len(r.Changes) == 0 {
		r.Changes = []string{"nothing to change"}
	}
	for _, change := range r.Changes {
		if e := verb.Line(call.Stdout, change); err == nil {
			err = e
		}
	}
	return err
}
