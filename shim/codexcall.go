package shim

import (
	"path/filepath"
	"slices"
	"strings"

	"swop/internal/account"
	"swop/internal/disk"
)

// NamedDir returns the directory that the arguments of a codex started in wd name as the one to work in, with links resolved; "" if they
// name no directory, or name one relative to a wd that is not known. Codex takes no value that begins with a dash, and of a flag that
// stands before a subcommand and behind it the last one (seen with 0.171).
func NamedDir(args []string, wd string) string {
	dir := codexCall(args).Dir
	switch {
	case dir == "":
		return ""
	case filepath.IsAbs(dir):
	case wd == "":
		return ""
	default:
		dir = wd + string(filepath.Separator) + dir // a ".." behind a link is the kernel's to resolve
	}
	return disk.Resolve(dir)
}

// ownArgs returns the arguments that are codex's own: those before "--", and before the command of codex sandbox.
func ownArgs(args []string) []string {
	if name, rest := subcommand(args); name == "sandbox" {
		command, after := subcommand(append([]string{name}, rest...))
		if command == "linux" || command == "macos" || command == "windows" { // a word of its own until 0.128
			command, after = subcommand(append([]string{command}, after...))
		}
		if command != "" {
			args = args[:len(args)-len(after)-1]
		}
	}
	if i := slices.Index(args, "--"); i > 0 {
		args = args[:i]
	}
	return args
}

// codexCall reads from codex's arguments what decides which configuration it reads. Flags count wherever they stand, also behind a
// subcommand, as codex has it. Dir is as it was given, "" for none.
func codexCall(args []string) (call account.CodexCall) {
	args = ownArgs(args)
	for i := 1; i < len(args); i++ {
		name, value, own := flagValue(args, i)
		if i+1 == len(args) && !strings.Contains(args[i], "=") && value == "" {
			break // a flag without its value is codex's to complain about
		}
		switch name {
		case "-c", "--config":
			call.Overrides = append(call.Overrides, value)
		case "-p", "--profile":
			call.Profiles = append(call.Profiles, value)
		case "-C", "--cd":
			call.Dir = value
		}
		if own {
			i++
		}
	}
	return call
}

// flagValue returns the flag at args[i] and its value; own says that the value is an argument of its own.
func flagValue(args []string, i int) (name, value string, own bool) {
	arg := args[i]
	if strings.HasPrefix(arg, "--") {
		name, value, joined := strings.Cut(arg, "=")
		if joined || i+1 == len(args) {
			return name, value, false
		}
		return name, args[i+1], name == "--config" || name == "--profile" || name == "--cd"
	}
	for _, short := range []string{"-c", "-p", "-C"} {
		rest, ok := strings.CutPrefix(arg, short)
		switch {
		case !ok:
		case rest != "":
			return short, strings.TrimPrefix(rest, "="), false
		case i+1 < len(args):
			return short, args[i+1], true
		}
	}
	return arg, "", false
}
