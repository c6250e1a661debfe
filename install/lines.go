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
