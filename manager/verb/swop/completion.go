package swop

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"swop/internal/say"
	"swop/manager/verb"
)

// A shell has a completion script of cobra's. That completes a program called swop, and here swop is a word of codex: some lines are
// edited.
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
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "Print a shell completion script",
		Long: "Print a shell completion script for codex swop: the verbs, their flags, and the labels with their logins.\n" +
			"codex's own commands are completed by the script that codex completion prints, if the shell loads that first.",
		ValidArgsFunction: verb.CompleteWords(cobra.FixedCompletions([]cobra.Completion{"bash", "zsh", "fish"}, verb.NoFiles)),
		Example: verb.Example(
			"source <(codex swop completion bash)    in ~/.bashrc",
			"source <(codex swop completion zsh)     in ~/.zshrc, after compinit",
			"codex swop completion fish | source     in ~/.config/fish/config.fish",
		),
		Args: verb.Takes(1, "SHELL"),
		RunE: func(_ *cobra.Command, args []string) error {
			list := shells()
			at := slices.IndexFunc(list, func(s shell) bool { return s.name == args[0] })
			if at < 0 {
				return say.WithHint(verb.Usagef("no completion for shell %q", args[0]), "use bash, zsh or fish: codex swop completion bash")
			}
			return verb.Line(call.Stdout, list[at].script(call.Executable))
		},
	}
}

// script returns the completion script; program is the path of this program.
func (s shell) script(program string) string {
	var text bytes.Buffer
	_ = s.generate(&cobra.Command{Use: "swop"}, &text) // a buffer takes all
	return s.begin(program) + "\n" + strings.NewReplacer(s.edits...).Replace(text.String()) + s.end
}
