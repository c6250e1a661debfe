package shim

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"swop/internal/account"
)

// SetDir sets i.Dir to the directory that codex's arguments name as the one to work in, with links. Codex takes no value that begins with a
// dash; where a flag stands both before and behind a subcommand, the last one counts (seen with 0.171).
func (i *Invocation) SetDir(args []string) {
	i.Dir, i.leads = namedDir(args, i.Shown(i.PoolDir())), ""
}

// namedDir returns the directory that the arguments of a codex started in wd name; "" if they name none, or a relative one where wd is "".
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

// codexCall parses the arguments that decide which configuration codex reads. Flags count wherever they stand, also behind a subcommand, as
// codex has it. Dir is as given, "" for none. Codex itself refuses a flag without its value.
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

// flagValue returns the value of the flag if arg is that flag: the rest of arg, or next. "" is no value, or another flag.
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
