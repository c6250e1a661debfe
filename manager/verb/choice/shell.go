package choice

import (
	"cmp"
	_ "embed"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"swop/disk"
	"swop/install"
	"swop/manager/verb"
	"swop/manager/verb/accounts"
	"swop/say"
)

func Shell(call *verb.Call) *cobra.Command {
	return &cobra.Command{
		Use:   "shell [LABEL]",
		Short: "Start a shell that is in an account",
		Long: "Start your shell ($SHELL, else /bin/sh) in an account's environment (default: the one that codex would run as here): codex, and " +
			"programs that read its files, run as it there, also where a directory is bound to another one. The prompt of bash, zsh and fish shows " +
			"the account. Leave it with exit. The exit status is the shell's.",
		ValidArgsFunction: verb.CompleteWords(call.Complete(verb.Labels)),
		Example:           verb.Example("codex swop shell work", "codex swop shell", "SHELL=/bin/sh codex swop shell work"),
		Args:              verb.Takes(0, "LABEL"),
		RunE:              verb.With(call.Open, runShell),
	}
}

func runShell(s verb.Setup, args []string) error {
	choice, acct, err := s.AccountOr(args, "codex swop shell LABEL")
	if err != nil {
		return err
	}
	shell := cmp.Or(s.Environ.Value("SHELL"), "/bin/sh")
	if _, err := os.Stat(shell); err != nil {
		return say.WithHint(err, "SHELL=/bin/sh codex swop shell "+say.ShellQuote(acct.Meta.Label))
	}
	if s.IsInteractive() {
		s.Say("this is %s as %q; leave it with: exit", filepath.Base(shell), acct.Meta.Label)
	}
	command, err := prompting(&s, shell)
	if err != nil {
		return err
	}
	return accounts.RunIn(s, acct, choice.Bridges, shell, command)
}

// The lines with which zsh and fish show the account in their prompt, after the user's own start files. zsh finds .zshenv by ZDOTDIR, which has its
// value back before the next file is read. Whatever the other files do to the prompt, the account is put there before it is shown.
var (
	//go:embed shell.zsh
	zshStart string
	//go:embed shell.fish
	fishStart string
)

// prompting returns the command of the shell that shows the account in its prompt.
func prompting(s *verb.Setup, shell string) ([]string, error) {
	segment, dir := install.Segment(shell, filepath.Dir(s.Shim())), s.Store.Path("shell")
	put := func(name, text string) error {
		if old, err := os.ReadFile(filepath.Join(dir, name)); err == nil && string(old) == text {
			return nil
		}
		if err := disk.MakeDirs(dir); err != nil {
			return err
		}
		return disk.WriteFile(filepath.Join(dir, name), []byte(text))
	}
	switch filepath.Base(shell) {
	case "bash":
		return []string{shell, "--rcfile", filepath.Join(dir, "bashrc")}, put("bashrc", "[ ! -r ~/.bashrc ] || . ~/.bashrc\n"+segment)
	case "zsh":
		if own, ok := s.Env.Lookup("ZDOTDIR"); ok {
			s.Env = s.Env.With("SWOP_ZDOTDIR", own)
		}
		s.Env = s.Env.With("ZDOTDIR", dir)
		return []string{shell}, put(".zshenv", strings.ReplaceAll(zshStart, "@SEGMENT@\n", segment))
	case "fish":
		return []string{shell, "--init-command", strings.ReplaceAll(fishStart, "@CODEX@", say.FishQuote(s.Shim()))}, nil
	}
	return []string{shell}, nil
}
