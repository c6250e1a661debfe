package swop

import (
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"swop/config"
	"swop/internal/account/process"
	"swop/manager/verb"
)

// signs are in every completion that codex prints, by shell (0.29 to 0.169). Text without them is not run.
var signs = map[string][]string{
	"bash": {"_codex() {", "complete -F _codex "},
	"zsh":  {"#compdef codex\n", "_codex() {"},
	"fish": {"complete -c codex "},
}

// maxCompletion is the most that is read from codex, in bytes: 0.169 prints a quarter of a megabyte.
const maxCompletion = 8 << 20

// codexPatience is how long a person waits at a prompt for a codex that does not answer.
const codexPatience = 5 * time.Second

// printCodexCompletion prints the real codex's own completion for the shell, or nothing: our functions in the shell read the status, and nobody a
// message.
func printCodexCompletion(call *verb.Call, shell string) error {
	s, err := call.Look()
	if err != nil {
		return verb.Exited(verb.StatusFailed)
	}
	real, err := s.Codex()
	if err != nil {
		return verb.Exited(127)
	}
	text, err := printedBy(real.Path, s.Env, shell)
	lacks := func(sign string) bool { return !strings.Contains(text, sign) }
	if err != nil || slices.ContainsFunc(signs[shell], lacks) {
		return verb.Exited(verb.StatusFailed)
	}
	_, err = io.WriteString(call.Stdout, text)
	return err
}

// printedBy runs codex for its completion, under no account, and returns what it prints. The codex home is empty and temporary: 0.113 and
// later create a directory there at every call. It has no terminal, in case it knows no completion and takes the word for a prompt.
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
	env = env.Without("SWOP_ACCOUNT").With("SWOP_BYPASS", "1").With("CODEX_HOME", home)
	return process.Ask(ctx, exec.Cmd{Path: codex, Args: []string{"codex", "completion", shell}, Env: env, Dir: home}, maxCompletion)
}
