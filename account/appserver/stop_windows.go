package appserver

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// Stop asks the account's background server to end, if codex has left the directory of one. A server that ran in a session ended with that
// session's job.
func Stop(ctx context.Context, o StopOptions) error {
	if _, err := os.Stat(filepath.Join(o.CodexHome, "app-server-daemon")); err != nil {
		return nil //nolint:nilerr // codex has not started one
	}
	var codex []string
	if o.Codex != nil {
		codex = o.Codex()
	}
	if len(codex) == 0 {
		return nil
	}
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, codex[0], append(slices.Clone(codex[1:]), "app-server", "daemon", "stop")...)
	cmd.Env, cmd.Dir = o.Env, o.CodexHome
	_ = cmd.Run() // a release without that command has no server
	return nil
}
