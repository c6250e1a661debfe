//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"swop/config"
	"swop/config/file"
	"swop/shim/session"
)

// signs are what the completion that codex prints is known by, in each shell (0.29 to 0.169). What has not all of them is not run.
var signs = map[string][]string{
	"bash": {"_codex() {", "complete -F _codex "},
	"zsh":  {"#compdef codex\n", "_codex() {"},
	"fish": {"complete -c codex "},
}

// maxCompletion bounds what is taken from codex, in bytes: 0.169 prints a quarter of a megabyte.
const maxCompletion = 8 << 20

// codexPatience is how long a person waits at a prompt for a codex that does not answer.
const codexPatience = 5 * time.Second

// codexCompletion prints the real codex's own completion for the shell, or nothing: the statuses say why to our functions in the
// shell, as there is nobody to read a message.
func (a *app) codexCompletion(shell string) error {
	s, err := session.Look(a.env)
	if err != nil {
		return exited(statusFailed)
	}
	settings, err := file.ReadSettings(s.Places)
	if err != nil {
		return exited(statusFailed)
	}
	real, err := a.codex(scene{Invocation: s, settings: settings})
	if err != nil {
		return exited(127)
	}
	text, err := printedBy(real.Path, s.Env, shell)
	if err != nil || len(signs[shell]) == 0 {
		return exited(statusFailed)
	}
	for _, sign := range signs[shell] {
		if !strings.Contains(text, sign) {
			return exited(statusFailed)
		}
	}
	_, err = io.WriteString(a.stdout, text)
	return err
}

// printedBy runs codex for its completion, under no account, and returns what it prints. The codex home is an empty one that goes:
// 0.113 and later make a directory there at every call, whoever's it is, and none needs its configuration for this. It has no terminal, in
// case it is one that knows no completion and takes the word for a prompt.
func printedBy(codex string, env config.Env, shell string) (string, error) {
	home, err := os.MkdirTemp("", "swop-completion-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(home)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, codexPatience)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, codex, "completion", shell)
	cmd.Args[0], cmd.Dir = "codex", home
	cmd.Env = env.Without("SWOP_ACCOUNT").With("SWOP_BYPASS", "1").With("CODEX_HOME", home)
	cmd.Stdout = &bounded{&out, maxCompletion}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	return out.String(), err
}

// bounded is a writer that fails at its end.
type bounded struct {
	to   io.Writer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(p) > b.left {
		return 0, errors.New("more than is believed")
	}
	b.left -= len(p)
	return b.to.Write(p)
}
