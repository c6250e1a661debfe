package verb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"swop/internal/say"
)

// Example returns the lines of a command's examples, indented.
func Example(lines ...string) string { return "  " + strings.Join(lines, "\n  ") }

// WrongUsage returns a usage error with a hint at the command's help.
func WrongUsage(cmd *cobra.Command, format string, args ...any) error {
	return say.WithHint(Usagef(format, args...), cmd.CommandPath()+" --help")
}

// Takes returns a check of a verb's arguments: they have these names, and the first least of them must be there.
func Takes(least int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least {
			return WrongUsage(cmd, "missing %s", strings.Join(names[len(args):least], " and "))
		}
		if len(args) > len(names) {
			return WrongUsage(cmd, "unexpected argument %q", args[len(names)])
		}
		return nil
	}
}

// Needs returns a check that a verb has arguments with these names. Any may follow.
func Needs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return Takes(len(names), names...)(cmd, args[:min(len(names), len(args))])
	}
}

// Exclusive refuses a call with a flag and one of the others.
func Exclusive(cmd *cobra.Command, flag string, others ...string) error {
	if at := slices.IndexFunc(others, cmd.Flags().Changed); at >= 0 && cmd.Flags().Changed(flag) {
		return WrongUsage(cmd, "--%s and --%s exclude each other", flag, others[at])
	}
	return nil
}

// PlainFlag returns an error of parsing flags in plain words, not strconv's.
func PlainFlag(err error) error {
	wrong, is := errors.AsType[*pflag.InvalidValueError](err)
	if !is {
		return err
	}
	needs := "a number from 1 to 100"
	switch wrong.GetFlag().Value.Type() {
	case "duration":
		needs = "a time such as 30s, 10m or 2h"
	case "bool":
		needs = "true or false"
	}
	return fmt.Errorf("--%s must be %s, not %q", wrong.GetFlag().Name, needs, wrong.GetValue())
}

// RefuseEmpty refuses a flag with an empty value, as of an unset variable: without the flag the verb would do something else.
func RefuseEmpty(cmd *cobra.Command) error {
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" {
			err = WrongUsage(cmd, "--%s needs a value", f.Name)
		}
	})
	return err
}

// Directory returns the directory that args name, else the working directory, absolute with links resolved. The links of a directory that
// no longer exists stay: it can still be unbound.
func Directory(args []string) (string, error) {
	dir := "."
	if len(args) > 0 {
		dir = args[0]
	}
	if dir == "" {
		return "", Usagef("the directory is empty")
	}
	if !filepath.IsAbs(dir) {
		above, err := os.Getwd()
		if err != nil {
			return "", err
		}
		dir = above + string(filepath.Separator) + dir // uncleaned: what ".." is of a link's target, the kernel says
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		return resolved, nil
	}
	return filepath.Clean(dir), nil
}
