//go:build unix

package main

import (
	_ "embed"
	"io"

	"github.com/spf13/cobra"

	"swop/say"
)

// The functions of each shell. In the script, the path of this program comes before them.
var (
	//go:embed completion/codex.bash
	bashFunctions string
	//go:embed completion/codex.zsh
	zshFunctions string
	//go:embed completion/codex.fish
	fishFunctions string
)

func (a *app) completionCommand() *cobra.Command {
	var ofCodex bool
	cmd := &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "Print a shell completion script",
		Long: "Print a shell completion script for codex: the verbs of codex swop, their flags, and the labels with their logins. All else is\n" +
			"completed by the real codex's own completion, which is loaded when it is first needed.",
		Example: example(
			"source <(codex swop completion bash)    in ~/.bashrc",
			"source <(codex swop completion zsh)     in ~/.zshrc, after compinit",
			"codex swop completion fish | source     in ~/.config/fish/config.fish",
		),
		Args: wants(1, 1, "bash, zsh or fish"),
		RunE: func(_ *cobra.Command, args []string) error {
			if ofCodex {
				return a.codexCompletion(args[0])
			}
			text, err := completionScript(args[0], a.executable)
			if err != nil {
				return err
			}
			_, err = io.WriteString(a.stdout, text)
			return err
		},
	}
	cmd.Flags().BoolVar(&ofCodex, "of-codex", false, "print the real codex's own completion")
	_ = cmd.Flags().MarkHidden("of-codex") // the flag is there
	return cmd
}

// completionScript returns the completion script for a shell; program is the path of this program.
func completionScript(shell, program string) (string, error) {
	switch shell {
	case "bash":
		return "# Completion of codex for bash, printed by: codex swop completion bash\n" +
			"__swop_program=" + say.ShellQuote(program) + "\n" + bashFunctions, nil
	case "zsh":
		return "#compdef codex\n# Completion of codex for zsh, printed by: codex swop completion zsh\n" +
			"typeset -g _swop_program=" + say.ShellQuote(program) + "\n" + zshFunctions, nil
	case "fish":
		return "# Completion of codex for fish, printed by: codex swop completion fish\n" +
			"set -g __swop_program " + say.FishQuote(program) + "\n" + fishFunctions, nil
	}
	return "", say.WithHint(usage("no completion for shell %q", shell), "codex swop completion bash, or zsh, or fish")
}

// completionScripts returns the scripts for all shells, by the shell's name.
func completionScripts(program string) (map[string]string, error) {
	scripts := map[string]string{}
	var err error
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if scripts[shell], err = completionScript(shell, program); err != nil {
			return nil, err
		}
	}
	return scripts, nil
}
