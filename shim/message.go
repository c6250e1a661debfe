package shim

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"swop/config"
)

// What people read. Errors go to stderr, each line after "swop: ", then the hints, which are commands that can be pasted or short
// sentences. Lower case, no full stop, user data quoted, each fact once, never a secret. A call that succeeds prints nothing.

// Complain prints err and its hints.
func Complain(w io.Writer, err error) {
	for _, line := range strings.Split(err.Error(), "\n") {
		Say(w, "%s", line)
	}
	for _, hint := range config.Hints(err) {
		Say(w, "hint: %s", hint)
	}
}

// Say prints one line of swop's own on w, which is stderr.
func Say(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, "swop: "+format+"\n", args...) // nobody is left to be told
}

// The exit statuses of the shim's own failures, those of env(1) and nohup(1).
const (
	statusFailed   = 125
	statusCannot   = 126
	statusNotFound = 127
)

func status(err error) int {
	var cannot *cannotRun
	switch {
	case errors.Is(err, ErrNoCodex):
		return statusNotFound
	case errors.As(err, &cannot):
		return statusCannot
	}
	return statusFailed
}

// cannotRun says that there is a codex, but it cannot be run.
type cannotRun struct{ error }

func (c *cannotRun) Unwrap() error { return c.error }

// ErrNoCodex says that there is no real codex to run.
var ErrNoCodex = errors.New("the real codex was not found")
