package shim

import (
	"slices"
	"strings"
)

// valueFlags are codex's options, also of codex exec and codex sandbox, that take the next argument as their value (--help, 0.29 to 0.171).
var valueFlags = []string{
	"-c", "--config", "--enable", "--disable", "-m", "--model", "--local-provider", "-p", "--profile",
	"-s", "--sandbox", "-a", "--ask-for-approval", "-C", "--cd", "--add-dir", "--remote", "--remote-auth-token-env",
	"-P", "--permission-profile", "--permissions-profile", "--sandbox-state-json", "--sandbox-state-readable-root", "--allow-unix-socket",
	"-o", "--output-last-message", "--output-schema", "--color", "--thread-source", "--cyber-access-program",
}

// listFlags take all words up to the next option: a word that looks like a subcommand is a file there (seen with 0.169).
var listFlags = []string{"-i", "--image"}

// subcommand returns the first word in args that is not an option, and the words behind it; "" without such a word.
func subcommand(args []string) (string, []string) {
	for i := 1; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--":
			return "", nil
		case slices.Contains(valueFlags, arg):
			i++
		case slices.Contains(listFlags, arg):
			for i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				i++
			}
		case !strings.HasPrefix(arg, "-"):
			return arg, args[i+1:]
		}
	}
	return "", nil
}

// kind says how a call is treated.
type kind uint8

const (
	ordinary     kind = iota
	updates           // runs without an account: codex updates the caller's installation
	changesLogin      // the server is stopped first: it would go on with the old login
	ignoresLogin      // codex does not judge the login: its configuration is not checked
)

// kindOf returns how a call with these arguments is treated. A call that only prints changes nothing, whatever its subcommand.
func kindOf(args []string) kind {
	name, rest := subcommand(args)
	says := func(arg string) bool { return arg == "status" || arg == "help" }
	prints := func(arg string) bool { return arg == "-V" || arg == "--version" || arg == "-h" || arg == "--help" }
	switch {
	case slices.ContainsFunc(ownArgs(args), prints), name == "completion", name == "help":
		return ignoresLogin
	case name == "update":
		return updates
	case (name == "login" || name == "logout") && slices.ContainsFunc(rest, says):
		return ignoresLogin
	case name == "login", name == "logout":
		return changesLogin
	}
	return ordinary
}

// ChangesLogin reports whether the call logs in or out.
func ChangesLogin(args []string) bool { return kindOf(args) == changesLogin }

// LogsInToServer reports whether the call logs in to an MCP server, whatever options come before.
func LogsInToServer(args []string) bool {
	name, rest := subcommand(args)
	command, _ := subcommand(append([]string{name}, rest...))
	return name == "mcp" && command == "login"
}

// Resumed returns the ID or the name of the session that the call goes on with, "" where it gives none.
func Resumed(args []string) string {
	name, rest := subcommand(args)
	if name == "exec" || name == "e" {
		name, rest = subcommand(append([]string{name}, rest...))
	}
	id, _ := subcommand(append([]string{name}, rest...))
	if name != "resume" || slices.Contains(rest, "--last") { // then the word is the prompt
		return ""
	}
	return id
}

// LogsIn reports whether the call logs in.
func LogsIn(args []string) bool {
	name, _ := subcommand(args)
	return name == "login" && ChangesLogin(args)
}
