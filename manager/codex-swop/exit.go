//go:build unix

package main

import (
	"errors"
	"fmt"

	"swop/account"
	"swop/account/appserver"
	"swop/bridge"
	"swop/config"
	"swop/disk"
	"swop/install"
	limits "swop/limits/usage"
	"swop/say"
	"swop/shim"
)

// The exit statuses of the verbs.
const (
	statusFailed    = 1
	statusUsage     = 2
	statusNoAccount = 3
	statusRefused   = 4
	statusExists    = 5
	statusNobody    = 6   // no account of a pool has room
	statusQuit      = 130 // as after an interrupt: the person who was asked left
)

// usageError is the error of a call that cannot be understood.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exited is an exit status that needs no message: of a program that ran for us, or of a person who left.
type exited int

func (e exited) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// refusal is an error for which a verb refuses to act, whatever it wraps.
type refusal struct{ error }

// refused returns the error as one for which a verb refuses to act.
func refused(err error) error { return refusal{err} }

func (r refusal) Unwrap() error { return r.error }

// exit prints the error, if any, and returns the exit status.
func (a *app) exit(err error) int {
	var ended exited
	var label *config.LabelError
	var use usageError
	var refuses refusal
	switch {
	case err == nil:
		return 0
	case errors.As(err, &ended):
		return int(ended)
	case errors.Is(err, shim.ErrQuit):
		return statusQuit
	}
	say.Error(a.Stderr, err)
	a.suggests = a.suggests || len(say.Hints(err)) > 0
	switch {
	case errors.As(err, &use), errors.As(err, &label), errors.Is(err, install.ErrUsage):
		return statusUsage
	case errors.As(err, &refuses):
		return statusRefused
	case errors.Is(err, account.ErrNoAccount):
		return statusNoAccount
	case errors.Is(err, account.ErrExists):
		return statusExists
	case errors.Is(err, limits.ErrNobody):
		return statusNobody
	case errors.Is(err, disk.ErrUnsafe), errors.Is(err, account.ErrInUse), errors.Is(err, appserver.ErrBusy), errors.Is(err, bridge.ErrRefused):
		return statusRefused
	}
	return statusFailed
}
