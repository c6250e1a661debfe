//go:build unix

package codexsandbox

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Request is a command to run in the sandbox. A zero field means the default.
type Request struct {
	// Platform is the system whose sandbox to use, the host's by default. Another one is passed on to a release of codex that has a word
	// for it; codex's refusal is then the [Run].
	Platform Platform
	// Command is the program and its arguments, at least the program. It is looked up on PATH inside the sandbox.
	Command []string
	// FullAuto lets the command write its working directory and the temporary directories (TMPDIR and /tmp). The network stays closed.
	FullAuto bool
	// LogDenials makes codex report on stderr what the sandbox of macOS denied. Elsewhere it does nothing.
	LogDenials bool
	// ConfigOverrides are "key=value" for codex's --config, in this order. Those about a session with the model (profile,
	// approval_policy, web_search) are refused; so are, with FullAuto, those that choose the sandbox.
	ConfigOverrides []string
	// Enable and Disable name features of codex. No name may be in both.
	Enable, Disable []string
	// WorkingDir is the directory that the command runs in: this one, else the Client's, else the process's own.
	WorkingDir string
	// Timeout ends the command after it ran for this long; 0 is no limit.
	Timeout time.Duration
	// Env holds NAME=value entries for the command and codex, which replace the caller's. The variables that select the account (HOME,
	// CODEX_HOME and the like) are refused. Codex's own shell_environment_policy may drop variables.
	Env []string
	// Stdin is what the command reads; nil is nothing. An *os.File is passed on itself. For any other reader that does not end, Run leaves
	// a goroutine behind that waits for it.
	Stdin io.Reader
	// Stdout and Stderr say where the streams go besides being captured.
	Stdout, Stderr Stream
}

// Stream says where an output stream goes besides being captured.
type Stream struct {
	// Mirror gets each piece of the stream at once; nil is the Client's. The command waits for it. After an error it gets no more, and
	// Run returns the error with all that was captured.
	Mirror io.Writer
	// Quiet turns mirroring off.
	Quiet bool
}

// ownVariables select the account: with another value the command would run under another account or none.
var ownVariables = []string{"HOME", "CODEX_HOME", "CODEX_SQLITE_HOME"}

// check returns a *RequestError if something is wrong with the request for any release.
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
			return refuse("%q is not the name of a feature", name)
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

// sessionKeys are settings of a session with the model, each with the reason why a sandboxed command cannot use it.
var sessionKeys = map[string]string{
	"profile":          "a profile is for sessions with the model; name the settings themselves",
	"approval_policy":  "a sandboxed command asks nobody for approval",
	"web_search":       "no model runs that could search",
	"tools.web_search": "no model runs that could search",
}

// modeKeys choose the sandbox, and detailKeys are its details.
var (
	modeKeys   = []string{"sandbox_mode", "default_permissions"}
	detailKeys = []string{"sandbox_workspace_write", "permissions"}
)

func (r Request) checkOverrides() error {
	for _, override := range r.ConfigOverrides {
		key, ok := overrideKey(override)
		switch {
		case !ok:
			return refuse("the config override %q has no \"=\"", override)
		case key == "" || strings.HasPrefix(key, "-") || hasNUL(override):
			return refuse("the config override %q is not of the form key=value", override)
		case sessionKeys[key] != "":
			return refuse("the config override %q is refused: %s", override, sessionKeys[key])
		case r.FullAuto && (isOf(key, modeKeys) || isOf(key, detailKeys)):
			return refuse("full-auto and the config override %q both decide on the sandbox", override)
		}
	}
	return nil
}

// overrideKey returns the key as codex reads it: what is before the first "=", without the blanks around it.
func overrideKey(override string) (key string, ok bool) {
	key, _, ok = strings.Cut(override, "=")
	return strings.TrimSpace(key), ok
}

// isOf reports whether key is one of the tables or settings, or lies in one.
func isOf(key string, tables []string) bool {
	top, _, _ := strings.Cut(key, ".")
	return slices.Contains(tables, strings.TrimSpace(top))
}

// choosesMode reports whether the overrides choose the sandbox themselves.
func (r Request) choosesMode() bool {
	return slices.ContainsFunc(r.ConfigOverrides, func(override string) bool {
		key, _ := overrideKey(override)
		return isOf(key, modeKeys)
	})
}

// RequestError says what is wrong with a request for any release. Nothing was run.
type RequestError struct{ Reason string }

func (e *RequestError) Error() string { return e.Reason }

func refuse(format string, args ...any) error { return &RequestError{fmt.Sprintf(format, args...)} }

// UnsupportedError says that this release of codex cannot do what was asked. Nothing was run.
type UnsupportedError struct {
	Release Release
	Feature string // "a sandbox for windows"
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("codex %s does not support %s", e.Release, e.Feature)
}
