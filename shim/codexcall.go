package shim

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"swop/internal/account"
)

// SetDir notes the directory that codex's arguments name as the one to work in, as they name it. Codex takes no value that begins with a
// dash, and of a flag that stands before a subcommand and behind it the last one (seen with 0.171).
func (i *Invocation) SetDir(args []string) {
	i.Dir = namedDir(args, i.shown(i.PoolDir()))
}

// namedDir returns that directory for a codex started in wd; "" if they name none, or one relative to a wd that is not known.
func namedDir(args []string, wd string) string {
	dir := codexCall(args).Dir
	switch {
	case dir == "" || filepath.IsAbs(dir):
		return dir
	case wd == "":
		return ""
	}
	return wd + string(filepath.Separator) + dir // a ".." behind a link is the kernel's to resolve
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
// subcommand, as codex has it. Dir is as it was given, "" for none. A flag without its value is codex's to complain about.
func codexCall(args []string) (call account.CodexCall) {
	args = ownArgs(args)
	for i := 1; i < len(args); i++ {
		next := ""
		if i+1 < len(args) {
			next = args[i+1]
		}
		if value := flagValue(args[i], next, "-c", "--config"); value != "" {
			call.Overrides = append(call.Overrides, value)
		}
		if value := flagValue(args[i], next, "-p", "--profile"); value != "" {
			call.Profiles = append(call.Profiles, value)
		}
		call.Dir = cmp.Or(flagValue(args[i], next, "-C", "--cd"), call.Dir)
	}
	return call
}

// flagValue returns the value of the flag if arg is that flag, and has it or is followed by it in next.
func flagValue(arg, next, short, long string) string {
	if arg == short || arg == long {
		return next
	}
	if value, ok := strings.CutPrefix(arg, long+"="); ok {
		return value
	}
	value, ok := strings.CutPrefix(arg, short)
	if !ok {
		return ""
	}
	return strings.TrimPrefix(value, "=")
}
