package account

import (
	"errors"
)

// The kinds of refusal that a caller tells apart; the errors that wrap them say which account or file.
var (
	ErrNoAccount = errors.New("no such account")
	ErrExists    = errors.New("already exists")
	ErrInUse     = errors.New("in use")
)
