package shim

import "errors"

// The exit statuses of the shim's own failures, those of env(1) and nohup(1).
const (
	statusFailed   = 125
	statusCannot   = 126
	statusNotFound = 127
	statusQuit     = 130 // as after an interrupt
)

// ErrQuit is the error of a call whose user left a question by Ctrl-D or q. It needs no message.
var ErrQuit = errors.New("cancelled")

func status(err error) int {
	switch {
	case errors.Is(err, ErrQuit):
		return statusQuit
	case errors.Is(err, ErrNoCodex):
		return statusNotFound
	case errors.As(err, new(*cannotRun)):
		return statusCannot
	}
	return statusFailed
}

// cannotRun says that there is a codex, but it cannot be run.
type cannotRun struct{ error }

func (c *cannotRun) Unwrap() error { return c.error }

// ErrNoCodex says that no real codex was found.
var ErrNoCodex = errors.New("the real codex was not found")
