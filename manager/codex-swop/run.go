//go:build unix

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"swop/account"
	"swop/config"
	"swop/say"
	"swop/session"
	"swop/shim"
)

func runCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run LABEL -- COMMAND…",
		Short: "Run any command in an account's environment",
		Long: "Run any command in an account's environment, as codex's own shell would see it. What it made is shared when it ends. The exit\n" +
			"status is the command's, or 126 if it cannot be run, 127 if it was not found.",
		ValidArgsFunction: completeWords(a.completeLabel),
		Example:           example("codex swop run work -- codex login status", "codex swop run work -- bash"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 && args[1] == "--" {
				args = slices.Delete(args, 1, 2)
			}
			if err := takes(2, "LABEL", "COMMAND")(cmd, args[:min(2, len(args))]); err != nil {
				return err
			}
			return a.runIn(args[0], args[1:])
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
	if _, err := s.store.Find(label); err != nil {
		return a.orLabelMissing(s, err, append([]string{label}, command...))
	}
	program, err := onPath(command[0], s.Env.Value("PATH"))
	if err != nil {
		say.Error(a.Stderr, err)
		return exited(127)
	}
	key, err := config.Key(label)
	if err != nil {
		_, err = s.store.Find(label) // which knows pools
		return err
	}
	policy, err := s.Policy("", &s.settings, key)
	if err != nil {
		return err
	}
	ready, err := a.ready(s, label, policy)
	if err != nil {
		return err
	}
	return a.runPrepared(s, ready, program, command)
}

// orLabelMissing returns the error of a label that names no account, or if it is a program, one that says where the label belongs.
func (a *app) orLabelMissing(s setup, err error, command []string) error {
	accounts, _ := s.store.Accounts() // one that cannot be read is no example
	if _, none := onPath(command[0], s.Env.Value("PATH")); none != nil || len(accounts) == 0 || !errors.Is(err, account.ErrNoAccount) {
		return err
	}
	label := accounts[0].Meta.Label
	if choice, err := a.choose(s); err == nil && choice.Label != "" {
		label = choice.Label
	}
	err = say.Refuse(account.ErrNoAccount, fmt.Sprintf("no account %q: the label comes before the command", command[0]))
	for i, word := range command {
		command[i] = say.ShellQuote(word)
	}
	return say.WithHint(err, "codex swop run "+say.ShellQuote(label)+" -- "+strings.Join(command, " "))
}

// runPrepared runs a program as a session of the account, with what runs beside one.
func (a *app) runPrepared(s setup, ready shim.Prepared, program string, command []string) error {
	d := shim.Decision{Invocation: s.Invocation, Settings: s.settings, Prepared: ready, Args: command, Env: s.Environment(ready)}
	if ready.Policy != "" {
		if real, err := a.codex(s); err == nil { // it may bring a bubblewrap
			d.Program = real
		}
		var err error
		if program, err = filepath.Abs(program); err != nil {
			return err
		}
	}
	call := shim.Call{Args: command, Env: a.env, Stderr: a.Stderr, Now: a.now(), Executable: func() (string, error) { return a.shim(), nil }}
	status, err := session.RunProgram(call, a.hooks(), &d, program)
	if err != nil {
		say.Error(a.Stderr, err)
		return exited(126)
	}
	return exited(status)
}

// onPath returns the file that execvp(3) would run for the command with this PATH.
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
