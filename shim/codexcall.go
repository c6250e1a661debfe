package shim

import (
	"path/filepath"
	"strings"

	"swop/account"
)

// codexCall reads from codex's arguments, and the working directory, what decides which configuration it reads. Flags count wherever
// they stand before "--", also behind a subcommand, as codex has it.
func codexCall(args []string, dir string) account.CodexCall {
	call := account.CodexCall{Dir: dir}
	for i := 1; i < len(args) && args[i] != "--"; i++ {
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
			if !filepath.IsAbs(value) {
				call.Dir = filepath.Join(dir, value)
			}
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
