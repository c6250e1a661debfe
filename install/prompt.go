//go:build unix

package install

import (
	"fmt"
	"path/filepath"
	"slices"
)

// promptLines returns what the file's shell runs to put bin first before each prompt, "" if no interactive shell reads the file.
func (st startup) promptLines(bin string) string {
	switch name := filepath.Base(st.path); {
	case st.syntax == fish:
		return fmt.Sprintf(fishPrompt, fish.quote(bin))
	case name == ".zshrc":
		return fmt.Sprintf(zshPrompt, posix.quote(bin))
	case slices.Contains(bashNames, name) && name != ".profile":
		return fmt.Sprintf(bashPrompt, posix.quote(bin))
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
