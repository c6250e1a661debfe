//go:build unix

package main

import (
	"errors"
	"fmt"

	"swop/config"
	"swop/install"
	"swop/manager/account"
	"swop/manager/appserver"
	"swop/manager/disk"
	"swop/say"
)

// The exit statuses of the verbs: this is the one place that knows them.
const (
	statusDone      = 0
	statusFailed    = 1
	statusUsage     = 2
	statusNoAccount = 3
	statusRefused   = 4
	statusExists    = 5
	statusLeft      = 130 // as by an interrupt: whoever was asked left
)

// usageError is a call that cannot be understood.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exited is an exit status that needs no message: a program that ran in our place has said what went wrong, or a person left.
type exited int

func (e exited) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// exit says what went wrong and returns the exit status.
func (a *app) exit(err error) int {
	var ended exited
	if errors.As(err, &ended) {
		return int(ended)
	}
	if err != nil {
		say.Error(a.stderr, err)
	}
	return status(err)
}

func status(err error) int {
	var label *config.LabelError
	var use usageError
	switch {
	case err == nil:
		return statusDone
	case errors.As(err, &use), errors.As(err, &label), errors.Is(err, install.ErrUsage):
		return statusUsage
	case errors.Is(err, account.ErrNoAccount):
		return statusNoAccount
	case errors.Is(err, account.ErrExists):
		return statusExists
	case errors.Is(err, disk.ErrUnsafe), errors.Is(err, account.ErrInUse), errors.Is(err, appserver.ErrBusy):
		return statusRefused
	}
	return statusFailed
}
