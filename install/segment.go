//go:build unix

package install

import "path/filepath"

// segmentLines returns what the file's shell runs to show the account in its prompt, "" if no interactive shell reads the file.
func (st startup) segmentLines(bin string) string {
	return st.interactive(bashSegment, zshSegment, fishSegment, filepath.Join(bin, "codex"))
}

// Segment returns what a shell, a path or a name, runs to show the account in its prompt, with codex from bin; "" for an unknown shell.
func Segment(shell, bin string) string {
	file := map[string]string{"bash": ".bashrc", "zsh": ".zshrc", "fish": "config.fish"}[filepath.Base(shell)]
	return startup{file, syntaxOf(shell)}.segmentLines(bin)
}

// The lines for the account in the prompt. What has it already is left alone, and so is a right prompt of the user's own in fish. A label has
// no character that a prompt would expand.
const (
	bashSegment = `swop_prompt() {
    local code=$? account
    account=$(%[1]s swop which --short 2>/dev/null)
    [ -z "$account" ] || printf '(%%s) ' "$account"
    return "$code"
}
case ${PS1-} in
'' | *swop_prompt*) ;;
*) PS1='$(swop_prompt)'$PS1 ;;
esac
`
	zshSegment = `swop_prompt() {
    local code=$? account
    emulate -L zsh
    account=$(%[1]s swop which --short 2>/dev/null)
    [[ -z "$account" ]] || print -rn -- "($account) "
    return "$code"
}
setopt prompt_subst
[[ "${PROMPT-}" = *swop_prompt* ]] || PROMPT='$(swop_prompt)'"${PROMPT-}"
`
	fishSegment = `if status is-interactive; and not functions --query fish_right_prompt
    function fish_right_prompt
        set -l account (%[1]s swop which --short 2>/dev/null)
        test -n "$account"; and printf '(%%s)' $account
    end
end
`
)
