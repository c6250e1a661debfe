package process

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// StopServers asks the account's background server to end, if codex has left the directory of one. A server that ran in a session
// ended with that session's job.
func StopServers(ctx context.Context, o StopOptions) error {
	if _, err := os.Stat(filepath.Join(o.CodexHome, "app-server-daemon")); err != nil {
		return nil //nolint:nilerr // codex has not started one
	}
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.Codex(), "app-server", "daemon", "stop")
	cmd.Env, cmd.Dir = o.Env, o.CodexHome
	_ = cmd.Run() // without a codex, or with a release that lacks that command, there is no server
	return nil
}
