//go:build unix

package install

import (
	"fmt"
	"path/filepath"
	"slices"

	"swop/say"
)

// A syntax is the syntax of a shell's start-up files.
type syntax int

const (
	posix syntax = iota // sh, bash, zsh, ksh
	fish
)

// syntaxOf returns the syntax of a shell, a path or a name.
func syntaxOf(shell string) syntax {
	if filepath.Base(shell) == "fish" {
		return fish
	}
	return posix
}

func (x syntax) quote(s string) string {
	if x == fish {
		return say.FishQuote(s)
	}
	return say.SingleQuote(s)
}

// lines returns what a start-up file runs to put bin first on PATH, unless it is first already, and last, where it is not "", last, unless
// it is on PATH already. An entry for bin further back is kept: removing one from a PATH of thousands takes zsh a minute.
func (x syntax) lines(bin, last string) string {
	putFirst, putLast := posixFirst, posixLast
	if x == fish {
		putFirst, putLast = fishFirst, fishLast
	}
	out := fmt.Sprintf(putFirst, x.quote(bin))
	if last != "" {
		out += fmt.Sprintf(putLast, x.quote(last))
	}
	return out
}

// The POSIX forms work under set -u and set -e, and under zsh's options for splitting and globbing.
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

// line returns the one line that does the same in a shell that is already open.
func (x syntax) line(bin, last string) string {
	set, path, separator := "export PATH=", `"$PATH"`, ":"
	if x == fish {
		set, path, separator = "set -gx PATH ", "$PATH", " "
	}
	out := set + x.quote(bin) + separator + path
	if last != "" {
		out += separator + x.quote(last)
	}
	return out
}

// LineFor returns the line that makes the shell, a path or a name, run swop's codex from bin at once.
func LineFor(shell, bin string) string { return syntaxOf(shell).line(bin, "") }

// promptLines returns what the file's shell runs to put bin first before each prompt, "" if no interactive shell reads the file.
func (st startup) promptLines(bin string) string {
	return st.interactive(bashPrompt, zshPrompt, fishPrompt, bin)
}

// interactive returns the lines of the file's shell, with the path in them quoted, "" if no interactive shell reads the file.
func (st startup) interactive(bashLines, zshLines, fishLines, path string) string {
	switch name := filepath.Base(st.path); {
	case st.syntax == fish:
		return fmt.Sprintf(fishLines, fish.quote(path))
	case name == ".zshrc":
		return fmt.Sprintf(zshLines, posix.quote(path))
	case slices.Contains(bashNames, name) && name != ".profile":
		return fmt.Sprintf(bashLines, posix.quote(path))
	}
	return ""
}

// The lines for every prompt. They remove bin from further back, else PATH would grow with each prompt. bash has no hook for cd. What is in
// PROMPT_COMMAND may end in a semicolon, so a newline follows it. fish calls handlers in the order in which they were defined, so each file
// defines it again.
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
