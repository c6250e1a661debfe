package verb

import (
	"errors"
	"fmt"

	"swop/config"
	"swop/install"
	"swop/internal/account"
	"swop/internal/account/process"
	"swop/internal/bridge"
	"swop/internal/disk"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/shim"
)

// The exit statuses of the verbs.
const (
	StatusFailed    = 1
	statusUsage     = 2
	statusNoAccount = 3
	StatusRefused   = 4
	statusExists    = 5
	statusNobody    = 6   // no account of a pool can be used, or has room
	StatusUsed      = 7   // an account has used the percentage of --fail-at
	StatusQuit      = 130 // the user left a question, as after an interrupt
)

// withStatus is an error with its own exit status.
type withStatus struct {
	error
	status int
}

func (w withStatus) Unwrap() error { return w.error }

// Usagef returns the error of a call that cannot be understood.
func Usagef(format string, args ...any) error {
	return withStatus{fmt.Errorf(format, args...), statusUsage}
}

// Exited is the exit status of a program that ran for a verb, as [supervise.Run] returns it, or of a verb that has said all. It needs no
// message.
type Exited int

func (e Exited) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// Exit prints the error, if any, and returns the exit status.
func (c *Call) Exit(err error) int {
	var ended Exited
	var label *config.LabelError
	var known withStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &ended):
		return int(ended)
	case errors.Is(err, shim.ErrQuit):
		return StatusQuit
	}
	say.Error(c.Stderr, err)
	switch {
	case errors.As(err, &known):
		return known.status
	case errors.As(err, &label), errors.Is(err, install.ErrUsage):
		return statusUsage
	case errors.Is(err, account.ErrNoAccount):
		return statusNoAccount
	case errors.Is(err, account.ErrExists):
		return statusExists
	case errors.Is(err, usage.ErrNobody):
		return statusNobody
	case errors.Is(err, disk.ErrUnsafe), errors.Is(err, account.ErrInUse),
		errors.Is(err, process.ErrBusy), errors.Is(err, bridge.ErrRefused):
		return StatusRefused
	}
	return StatusFailed
}
