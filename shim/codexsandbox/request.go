package codexsandbox

import (
	"io"
	"slices"
	"strings"
	"time"
)

// Request is a command to run inside the sandbox. Its zero fields ask for nothing.
type Request struct {
	// Platform is whose sandbox is meant, the host's by default. One that is not the host's is passed on to a codex that has a word for
	// it, whose refusal is the [Run].
	Platform Platform
	// Command is the program and its arguments, at least the program. It is looked up on PATH inside the sandbox.
	Command []string
	// FullAuto lets the command write its working directory and the temporary directories (TMPDIR and /tmp). The network stays closed.
	FullAuto bool
	// LogDenials has codex report on stderr what the sandbox of macOS denied. Elsewhere it does nothing.
	LogDenials bool
	// ConfigOverrides are "key=value" for codex's --config, in this order. Those about a session with the model (profile,
	// approval_policy, web_search) are refused; so are, with FullAuto, those that decide on the sandbox.
	ConfigOverrides []string
	// Enable and Disable name features of codex. One cannot be in both.
	Enable, Disable []string
	// WorkingDir is the directory that the command runs in: this one, else the Client's, else the process's own.
	WorkingDir string
	// Timeout ends the command after it ran for this long; 0 is no limit.
	Timeout time.Duration
	// Env is NAME=value for the command and codex, beside what the account sets and in place of what the caller has. The variables
	// that make the account (HOME, CODEX_HOME and the like) are refused. Codex's own shell_environment_policy may drop variables.
	Env []string
	// Stdin is what the command reads; nil is nothing. An *os.File is passed on as it is. Of another reader that does not end, a Run
	// leaves the goroutine that waits on it behind.
	Stdin io.Reader
	// Stdout and Stderr say what becomes of the streams besides that they are captured.
	Stdout, Stderr Stream
}

// Stream says where an output stream goes besides being captured.
type Stream struct {
	// Mirror is written to as the stream comes; nil is the Client's. A Mirror that blocks holds the command up; one that fails is not
	// written to again, and the error is Run's, beside all that was captured.
	Mirror io.Writer
	// Quiet mirrors to nobody.
	Quiet bool
}

// ownVariables make the account's environment: another value would lead the command into another account or out of all.
var ownVariables = []string{"HOME", "CODEX_HOME", "CODEX_SQLITE_HOME"}

// check returns what is wrong with the request whatever the release, as a *RequestError.
func (r Request) check() error {
	if _, err := ParsePlatform(string(r.Platform)); err != nil {
		return err
	}
	if r.Timeout < 0 {
		return refuse("the timeout %v is negative", r.Timeout)
	}
	for _, check := range []func() error{r.checkCommand, r.checkOverrides, r.checkFeatures, r.checkEnv} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (r Request) checkCommand() error {
	if len(r.Command) == 0 || r.Command[0] == "" {
		return refuse("the command is empty")
	}
	for i, arg := range r.Command {
		if hasNUL(arg) {
			return refuse("argument %d of the command has a NUL byte: %q", i, arg)
		}
	}
	return nil
}

func (r Request) checkFeatures() error {
	for _, name := range slices.Concat(r.Enable, r.Disable) {
		if name == "" || strings.HasPrefix(name, "-") || strings.Contains(name, "=") || hasNUL(name) {
			return refuse("%q is no name of a feature", name)
		}
		if slices.Contains(r.Enable, name) && slices.Contains(r.Disable, name) {
			return refuse("the feature %q is both enabled and disabled", name)
		}
	}
	return nil
}

func (r Request) checkEnv() error {
	for _, entry := range r.Env {
		name, _, ok := strings.Cut(entry, "=")
		switch {
		case !ok || name == "" || hasNUL(entry):
			return refuse("the variable %q is not of the form NAME=value", entry)
		case slices.Contains(ownVariables, name) || strings.HasPrefix(name, "SWOP_"):
			return refuse("the variable %s belongs to the account", name)
		}
	}
	return nil
}

func hasNUL(text string) bool { return strings.ContainsRune(text, 0) }
