package swop

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"swop/internal/say"
	"swop/manager/verb"
)

// The functions of each shell. In the script, the path of this program comes before them.
var (
	//go:embed completion/codex.bash
	bashFunctions string
	//go:embed completion/codex.zsh
	zshFunctions string
	//go:embed completion/codex.fish
	fishFunctions string
	//go:embed completion/codex.ps1
	powershellFunctions string
)

// shells returns the shells that have a completion script.
func shells() []string { return []string{"bash", "fish", "powershell", "zsh"} }

func Completion(call *verb.Call) *cobra.Command {
	var ofCodex bool
	cmd := &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a shell completion script",
		Long: "Print a shell completion script for codex: the verbs of codex swop, their flags, and the labels with their logins. All else is\n" +
			"completed by the real codex's own completion, which is loaded when it is first needed.",
		ValidArgsFunction: verb.CompleteWords(cobra.FixedCompletions(shells(), cobra.ShellCompDirectiveNoFileComp)),
		Example: verb.Example(
			"source <(codex swop completion bash)    in ~/.bashrc",
			"source <(codex swop completion zsh)     in ~/.zshrc, after compinit",
			"codex swop completion fish | source     in ~/.config/fish/config.fish",
			"codex swop completion powershell | Out-String | Invoke-Expression  in $PROFILE",
		),
		Args: verb.Takes(1, "SHELL"),
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(shells(), args[0]) {
				return say.WithHint(verb.Usagef("no completion for shell %q", args[0]), "use bash, zsh, fish or powershell: codex swop completion bash")
			}
			if ofCodex {
				return printCodexCompletion(call, args[0])
			}
			_, err := io.WriteString(call.Stdout, scripts(call.Executable)[args[0]])
			return err
		},
	}
	cmd.Flags().BoolVar(&ofCodex, "of-codex", false, "print the real codex's own completion")
	_ = cmd.Flags().MarkHidden("of-codex") // the flag exists
	return cmd
}

// scripts returns the completion scripts by shell; program is the path of this program.
func scripts(program string) map[string]string {
	title := func(shell string) string {
		return fmt.Sprintf("# Completion of codex for %s, printed by: codex swop completion %[1]s\n", shell)
	}
	return map[string]string{
		"bash":       title("bash") + "__swop_program=" + say.ShellQuote(program) + "\n" + bashFunctions,
		"zsh":        "#compdef codex\n" + title("zsh") + "typeset -g _swop_program=" + say.ShellQuote(program) + "\n" + zshFunctions,
		"fish":       title("fish") + "set -g __swop_program " + say.FishQuote(program) + "\n" + fishFunctions,
		"powershell": title("PowerShell") + "$script:swopProgram = '" + strings.ReplaceAll(program, "'", "''") + "'\n" + powershellFunctions,
	}
}
