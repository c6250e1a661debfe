//go:build unix

package install

import (
	"fmt"
	"path/filepath"

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

// LineFor returns the line that makes the shell, a path or a name, run swop's codex from bin at once.
func LineFor(shell, bin string) string { return syntaxOf(shell).line(bin, "") }
