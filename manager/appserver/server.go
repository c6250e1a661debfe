package appserver

import (
	"errors"
)

// ErrServerBusy says that stopping an account's background server would cut off work that it does.
var ErrServerBusy = errors.New("background server busy")

// TurnPolicy says what becomes of a turn that the background server still runs.
type TurnPolicy uint8

const (
	KeepTurns TurnPolicy = iota // the server is not stopped
	EndTurns                    // they are cut off
)

// ServerStop is a server to be stopped.
type ServerStop struct {
	CodexHome string   // absolute
	Codex     []string // the real codex, without arguments for it; none: signals only
	Env       []string // the account's environment for it
	Turns     TurnPolicy
}
