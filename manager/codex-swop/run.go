//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"swop/say"
	"swop/shim"
)

func (a *app) runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run LABEL -- COMMAND…",
		Short: "Run any command in an account's environment",
		Long: "Run any command in an account's environment, as codex's own shell would see it. The command takes swop's place:\n" +
			"its exit status is the answer, 126 if it cannot be run, 127 if there is none.",
		Example: example("codex swop run work -- codex login status", "codex swop run work -- bash"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := wants(2, len(args), "a label and a command")(cmd, args); err != nil {
				return err
			}
			command := args[1:]
			if command[0] == "--" {
				command = command[1:]
			}
			if len(command) == 0 {
				return say.WithHint(usage("run wants a command after the label"), cmd.CommandPath()+" --help")
			}
			return a.runIn(args[0], command)
		},
	}
	cmd.Flags().SetInterspersed(false)
	return cmd
}

func (a *app) runIn(label string, command []string) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	program, err := onPath(command[0], s.Env.Value("PATH"))
	if err != nil {
		say.Error(a.stderr, err)
		return exited(127)
	}
	ready, err := a.ready(s, label)
	if err != nil {
		return err
	}
	say.Error(a.stderr, shim.Exec(program, command, s.Environment(ready)))
	return exited(126)
}

// onPath returns the file that execvp(3) would run for command with this PATH.
func onPath(command, path string) (string, error) {
	if strings.ContainsRune(command, '/') {
		_, err := os.Stat(command)
		return command, err
	}
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, command)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && unix.Access(file, unix.X_OK) == nil {
			return file, nil
		}
	}
	return "", &fs.PathError{Op: "run", Path: command, Err: errors.New("not found on PATH")}
}
