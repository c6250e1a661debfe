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
	// Platform is the system whose sandbox to use, the host's by default. Another platform is passed on to a release of codex that has a word
	// for it; the [Run] then has codex's refusal.
	Platform Platform
	// Command is the program and its arguments, at least the program. It is looked up on PATH inside the sandbox.
	Command []string
	// FullAuto lets the command write its working directory and the temporary directories (TMPDIR and /tmp). The network stays closed.
	FullAuto bool
	// LogDenials makes codex report on stderr what the sandbox of macOS denied. Elsewhere it does nothing.
	LogDenials bool
	// ConfigOverrides are "key=value" for codex's --config, in this order. Those that choose the sandbox are refused.
	ConfigOverrides []string
	// Enable and Disable name features of codex.
	Enable, Disable []string
	// WorkingDir is the directory that the command runs in, the client's by default.
	WorkingDir string
	// Timeout ends the command after this time; 0 is no limit.
	Timeout time.Duration
	// Stdin is the command's standard input; nil is empty. A reader without an end, unless it is a file, delays the end by two seconds.
	Stdin io.Reader
}

// check returns a *RequestError if something is wrong with the request for any release.
func (r Request) check() error {
	switch {
	case len(r.Command) == 0 || r.Command[0] == "":
		return refuse("the command is empty")
	case r.Timeout < 0:
		return refuse("the timeout %v is negative", r.Timeout)
	case !slices.Contains([]Platform{"", MacOS, Linux, Windows}, r.Platform.system()):
		return refuse("no platform %q: use macos, linux or windows", string(r.Platform))
	case slices.ContainsFunc(r.ConfigOverrides, choosesSandbox):
		return refuse("a config override chooses the sandbox, which only full-auto may do: %q", r.ConfigOverrides)
	}
	return nil
}

// choosesSandbox reports whether an override is of a setting that chooses the sandbox, or of a key in such a table. For codex the key ends
// before the first "=", without blanks around it.
func choosesSandbox(override string) bool {
	key, _, _ := strings.Cut(override, "=")
	top, _, _ := strings.Cut(key, ".")
	return slices.Contains([]string{"sandbox_mode", "default_permissions", "sandbox_workspace_write", "permissions"}, strings.TrimSpace(top))
}

// RequestError says what is wrong with a request for any release. Nothing was run.
type RequestError struct{ Reason string }

func (e *RequestError) Error() string { return e.Reason }

func refuse(format string, args ...any) error { return &RequestError{fmt.Sprintf(format, args...)} }
