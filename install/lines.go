package install

import (
	"fmt"
	"strings"
)

// A syntax is how a shell writes the lines of a start-up file.
type syntax int

const (
	posix syntax = iota // sh, bash, zsh, ksh
	fish
)

func (x syntax) quote(s string) string {
	if x == fish {
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// lines returns what a start-up file runs: bin comes first on PATH unless it is first already, and last, where it is not "",
// comes last unless it is somewhere. An entry further back is left: taking one out of a PATH of thousands takes zsh a minute.
func (x syntax) lines(bin, last string) string {
	bin = x.quote(bin)
	out := fmt.Sprintf(posixFirst, bin)
	if x == fish {
		out = fmt.Sprintf(fishFirst, bin)
	}
	switch {
	case last == "":
	case x == fish:
		out += fmt.Sprintf(fishLast, x.quote(last))
	default:
		out += fmt.Sprintf(posixLast, x.quote(last))
	}
	return out
}

// The POSIX forms hold under set -u and set -e, and under zsh's options for splitting and globbing.
const (
	posixFirst = `case ${PATH-} in
%[1]s | %[1]s:*) ;;
*) export PATH=%[1]s"${PATH:+:$PATH}" ;;
esac
`
	posixLast = `case :${PATH-}: in
*:%[1]s:*) ;;
*) export PATH="${PATH:+$PATH:}"%[1]s ;;
esac
`
	fishFirst = `if test "$PATH[1]" != %[1]s
    set -gx PATH %[1]s $PATH
end
`
	fishLast = `if not contains -- %[1]s $PATH
    set -gx PATH $PATH %[1]s
end
`
)

// The lines for every prompt. They take bin out from further back, for PATH would grow with each prompt. bash has no hook for cd. What is in
// PROMPT_COMMAND may end in a semicolon, so a newline follows it. fish calls handlers in the order in which they were made, so the last
// file's is to be the last.
const (
	bashPrompt = `swop_first() {
    local bin=%[1]s path
    case $PATH in
    "$bin" | "$bin":*) ;;
    *)
        path=:$PATH:
        path=${path//:"$bin":/:}
        path=${path%%:}
        PATH=$bin$path
        ;;
    esac
}
case ${PROMPT_COMMAND-} in
*swop_first) ;;
*) PROMPT_COMMAND="${PROMPT_COMMAND:+$PROMPT_COMMAND
}swop_first" ;;
esac
`
	zshPrompt = `swop_first() {
    emulate -L zsh
    local bin=%[1]s
    [[ $path[1] = "$bin" ]] || path=("$bin" "${(@)path:#$bin}")
}
typeset -ga precmd_functions chpwd_functions
precmd_functions=(${precmd_functions[@]:#swop_first} swop_first)
chpwd_functions=(${chpwd_functions[@]:#swop_first} swop_first)
`
	fishPrompt = `functions --erase swop_first
function swop_first --on-event fish_prompt
    if test "$PATH[1]" != %[1]s
        set -gx PATH %[1]s (string match --invert -- %[1]s $PATH)
    end
end
`
)

// line returns the one line for a shell that is already open.
func (x syntax) line(bin, last string) string {
	switch {
	case x == fish && last == "":
		return "set -gx PATH " + x.quote(bin) + " $PATH"
	case x == fish:
		return "set -gx PATH " + x.quote(bin) + " $PATH " + x.quote(last)
	case last == "":
		return "export PATH=" + x.quote(bin) + `:"$PATH"`
	}
	return "export PATH=" + x.quote(bin) + `:"$PATH":` + x.quote(last)
}
