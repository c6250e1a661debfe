package swop

import (
	"bytes"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"swop/internal/say"
	"swop/manager/verb"
)

// A shell is one that cobra has a completion script for. Cobra completes a program called swop, and swop is a word of codex: some lines of
// its script are edited.
type shell struct {
	name     string
	begin    func(program string) string // program is the path of codex-swop
	generate func(*cobra.Command, io.Writer) error
	edits    []string // pairs: a text of cobra's, and what takes its place
	end      string
}

// shells returns the shells that have a completion script.
func shells() []shell {
	return []shell{
		{
			name: "bash", begin: posixProgram,
			generate: func(c *cobra.Command, out io.Writer) error { return c.GenBashCompletionV2(out, true) },
			edits: []string{
				`args=("${words[@]:1}")`, `args=("${words[@]:2}")`,
				`"${words[0]} __complete`, `"\"\$__swop_program\" __complete`,
				`_get_comp_words_by_ref "$@" cur prev words cword`, // bash-completion has it, which is not everywhere
				`words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}`,
				`-F __start_swop swop`, `-F __swop_codex codex`,
			},
			end: `__swop_codex()
{
    if [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} == swop ]]; then
        __start_swop "$@"
        return
    fi
    if declare -F _codex >/dev/null; then
        _codex "$@"
    fi
    if [[ $COMP_CWORD -eq 1 && swop == "$2"* ]]; then
        COMPREPLY+=(swop)
    fi
}
`,
		},
		{
			name: "fish", begin: func(program string) string { return "set -g __swop_program " + say.FishQuote(program) },
			generate: func(c *cobra.Command, out io.Writer) error { return c.GenFishCompletion(out, true) },
			edits: []string{
				`$args[1] __complete $args[2..-1]`, `\$__swop_program __complete $args[3..-1]`,
				"complete -c swop -e\n", "",
				`-c swop -n '`, `-c codex -n '__swop_follows; and `,
			},
			end: `function __swop_follows
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test "$words[2]" = swop
end
complete -c codex -n 'test (count (commandline -opc)) -eq 1' -a swop -d 'Run codex under several accounts'
`,
		},
		{
			name: "powershell", begin: func(program string) string { return "$global:swopProgram = " + say.PowerQuote(program) },
			generate: (*cobra.Command).GenPowerShellCompletionWithDesc,
			edits: []string{
				`$Program,$Arguments = $Command.Split(" ",2)`,
				`$Program,$Swop,$Arguments = $Command.Split(" ",3)` + "\n    if ($Swop -ne 'swop' -or $null -eq $Arguments) { return }",
				`"$Program __complete`, "\"& `$global:swopProgram __complete",
				`-CommandName 'swop'`, `-Native -CommandName codex, codex.exe`,
			},
		},
		{
			name: "zsh", begin: posixProgram,
			generate: (*cobra.Command).GenZshCompletion,
			edits: []string{
				"#compdef swop\n", "",
				`compdef _swop swop`, `compdef _swop_codex codex`,
				`"${words[1]} __complete ${words[2,-1]}`, `"\"\$__swop_program\" __complete ${words[3,-1]}`,
			},
			end: `_swop_codex()
{
    if (( CURRENT > 2 )) && [[ $words[2] == swop ]]; then
        _swop
        return
    fi
    local -a swop=('swop:Run codex under several accounts')
    local ret=1
    (( CURRENT == 2 )) && _describe swop swop && ret=0
    if (( $+functions[_codex] )); then
        _codex "$@" && ret=0
    else
        _default && ret=0
    fi
    return ret
}
`,
		},
	}
}

func posixProgram(program string) string { return "__swop_program=" + say.ShellQuote(program) }

func Completion(call *verb.Call) *cobra.Command {
	var names []string
	for _, s := range shells() {
		names = append(names, s.name)
	}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a shell completion script",
		Long: "Print a shell completion script for codex swop: the verbs, their flags, and the labels with their logins.\n" +
			"codex's own commands are completed by the script that codex completion prints, if the shell loads that first.",
		ValidArgsFunction: verb.CompleteWords(cobra.FixedCompletions(names, verb.NoFiles)),
		Example: verb.Example(
			"source <(codex swop completion bash)    in ~/.bashrc",
			"source <(codex swop completion zsh)     in ~/.zshrc, after compinit",
			"codex swop completion fish | source     in ~/.config/fish/config.fish",
			"codex swop completion powershell | Out-String | Invoke-Expression  in $PROFILE",
		),
		Args: verb.Takes(1, "SHELL"),
		RunE: func(_ *cobra.Command, args []string) error {
			text, ok := scripts(call.Executable)[args[0]]
			if !ok {
				return say.WithHint(verb.Usagef("no completion for shell %q", args[0]), "use bash, zsh, fish or powershell: codex swop completion bash")
			}
			_, err := io.WriteString(call.Stdout, text)
			return err
		},
	}
}

// scripts returns the completion scripts by shell; program is the path of this program.
func scripts(program string) map[string]string {
	texts := map[string]string{}
	for _, s := range shells() {
		var text bytes.Buffer
		_ = s.generate(&cobra.Command{Use: "swop"}, &text) // a buffer takes all
		texts[s.name] = s.begin(program) + "\n" + strings.NewReplacer(s.edits...).Replace(text.String()) + s.end
	}
	return texts
}
