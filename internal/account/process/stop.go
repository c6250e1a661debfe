package process

import (
	"errors"
	"time"
)

// ErrBusy says that to stop an account's background server would cut off its work.
var ErrBusy = errors.New("background server busy")

// StopOptions say which servers [StopServers] stops, and how.
type StopOptions struct {
	CodexHome string // of the account; absolute
	EndTurns  bool   // also those that are at work, which is cut off
	Now       func() time.Time
	Codex     func() string // on Windows: returns the path of the real codex, which ends them; "" without one
	Env       []string      // likewise: the account's environment, for that program
}
