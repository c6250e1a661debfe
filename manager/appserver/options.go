package appserver

import (
	"errors"
)

// ErrBusy says that to stop an account's background server would cut off its work.
var ErrBusy = errors.New("background server busy")

// TurnPolicy says what becomes of a turn that the background server still runs.
type TurnPolicy uint8

const (
	KeepTurns TurnPolicy = iota // the server is not stopped
	EndTurns                    // they are cut off
)

// StopOptions say which servers [Stop] stops, and how.
type StopOptions struct {
	CodexHome string   // of the account; absolute
	Codex     []string // the command of the real codex, to which arguments are added; empty: the server is not asked
	Env       []string // the account's environment, for that command
	Turns     TurnPolicy
}
