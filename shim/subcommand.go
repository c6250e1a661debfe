package shim

import (
	"slices"
	"strings"
)

// valueFlags are codex's global options that take the next argument as their value (codex --help, 0.29 to 0.169).
var valueFlags = []string{
	"-c", "--config", "--enable", "--disable", "-m", "--model", "--local-provider", "-p", "--profile",
	"-s", "--sandbox", "-a", "--ask-for-approval", "-C", "--cd", "--add-dir", "--remote", "--remote-auth-token-env",
}

// listFlags take all words up to the next option: what looks like a subcommand there is a file (seen with 0.169).
var listFlags = []string{"-i", "--image"}

// subcommand returns codex's subcommand in args, what follows it, or "" if there is none: the first word that is no option.
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

// ChangesLogin reports whether the call logs in or out, after which a server that runs would go on with the old login.
func ChangesLogin(args []string) bool {
	name, rest := subcommand(args)
	if name != "login" && name != "logout" || slices.ContainsFunc(args[1:len(args)-len(rest)], onlyPrints) {
		return false
	}
	return !slices.ContainsFunc(rest, func(arg string) bool { return arg == "status" || arg == "help" || onlyPrints(arg) })
}

// onlyPrints reports whether arg, an option, lets codex only print.
func onlyPrints(arg string) bool {
	return arg == "-V" || arg == "--version" || arg == "-h" || arg == "--help"
}

// keepsLogin reports whether the call is one in which codex does not judge the login: those that only print, and login and logout
// themselves.
func keepsLogin(args []string) bool {
	switch name, _ := subcommand(args); name {
	case "login", "logout", "completion", "help":
		return true
	}
	for i, arg := range args {
		if i == 0 {
			continue
		}
		switch {
		case onlyPrints(arg):
			return true
		case arg == "--":
			return false
		}
	}
	return false
}
