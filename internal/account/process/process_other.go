//go:build !linux

package process

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"swop/shim"
)

// See [LockTellsAll]. On Windows codex-swop holds the lock of each session as long as codex runs.

// Process has no fields: no process is seen.
type Process struct {
	PID     int
	Command string
	Stopped bool
}

// Survey has no process.
type Survey struct{}

// TakeSurvey returns a survey of no process.
func TakeSurvey() (Survey, error) { return Survey{}, nil }

// Above returns no process.
func Above() []shim.Ancestor { return nil }

// InUse reports whether the lock is held.
func (Survey) InUse(_, lockFile string) (Use, error) {
	_, held, err := probeLock(lockFile)
	return Use{Unseen: held}, err
}

// Servers returns no process.
func (Survey) Servers(string) []Process { return nil }

// OnlyServer reports false: processes are not seen.
func OnlyServer(_, _ string) (bool, error) { return false, nil }

// LockHolder reports false: processes are not seen.
func LockHolder(string) (Process, bool) { return Process{}, false }

// StopServers lets codex end the account's background server, if it has left the directory of one.
func StopServers(ctx context.Context, o StopOptions) error {
	if _, err := os.Stat(filepath.Join(o.CodexHome, "app-server-daemon")); err != nil {
		return nil //nolint:nilerr // codex has not started one
	}
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	o.Stop(ctx)
	return nil
}
