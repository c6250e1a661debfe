//go:build unix

package install

import (
	"embed"
	"path/filepath"
	"slices"
	"strings"

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
	if last == "" {
		return x.text("first", bin)
	}
	return x.text("first", bin) + x.text("last", last)
}

// text returns the lines of that name in the syntax.
func (x syntax) text(name, path string) string {
	return x.textFor(name, [...]string{posix: "posix", fish: "fish"}[x], path)
}

// textFor returns the lines of that name for a shell, with path in the place of @PATH@.
func (x syntax) textFor(name, shell, path string) string {
	text, _ := shellLines.ReadFile("lines/" + name + "." + shell) // every name that is asked for is there
	return strings.ReplaceAll(string(text), "@PATH@", x.quote(path))
}

// shellLines are what install writes into start-up files. The POSIX forms work under set -u and set -e, and under zsh's options for splitting and
// globbing.
//
//   - prompt puts the path first before each prompt, and removes it from further back, else PATH would grow with each prompt. bash has no hook for
//     cd. What is in PROMPT_COMMAND may end in a semicolon, so a newline follows it. fish calls handlers in the order in which they were defined, so
//     each file defines it again.
//   - segment shows the account in the prompt. What has it already is left alone, and so is a right prompt of the user's own in fish. A label has no
//     character that a prompt would expand.
//   - complete loads the completion in an interactive shell, and does nothing where its file is missing. start.zsh lets compinit find the completion
//     if it runs later, as after .zshenv, and registers the completion if it has run.
//
//go:embed lines
var shellLines embed.FS

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

// interactive returns the lines of that name for the file's shell, "" if no interactive shell reads the file.
func (st startup) interactive(name, path string) string {
	switch file := filepath.Base(st.path); {
	case st.syntax == fish:
		return fish.text(name, path)
	case file == ".zshrc":
		return posix.textFor(name, "zsh", path)
	case slices.Contains(bashNames, file) && file != ".profile":
		return posix.textFor(name, "bash", path)
	}
	return ""
}

// promptLines returns what the file's shell runs to put bin first before each prompt.
func (st startup) promptLines(bin string) string { return st.interactive("prompt", bin) }

// segmentLines returns what the file's shell runs to show the account in its prompt.
func (st startup) segmentLines(bin string) string {
	return st.interactive("segment", filepath.Join(bin, "codex"))
}
