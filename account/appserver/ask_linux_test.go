package appserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"swop/account/process"
	"swop/account/process/processtest"
	"swop/internal/testhome"
	"swop/say"
)

// Where nothing is signalled, a server that does not end when it is asked is named, with a hint, and left alone.
func TestAskOnly(t *testing.T) {
	a := processtest.NewAccount(t)
	server := startServer(t, a, "idle")
	servers, err := process.Servers(a.CodexHome)
	testhome.NoError(t, err)
	pid := server.Process.Pid
	for script, want := range map[string]string{"exit 2": fmt.Sprintf(`"codex" (pid %d) is still running`, pid), "": "is still running"} {
		err := StopOptions{CodexHome: a.CodexHome, Codex: shell(script)}.askOnly(context.Background(), servers)
		if err == nil || !strings.Contains(err.Error(), want) || !slices.Equal(say.Hints(err), []string{fmt.Sprintf("kill %d", pid)}) {
			t.Errorf("askOnly with %q: %v with the hints %q, want %q", script, err, say.Hints(err), want)
		}
		wantAlive(t, server)
	}
	stop := shell(fmt.Sprintf("kill %d", pid))
	if err := (StopOptions{CodexHome: a.CodexHome, Codex: stop}).askOnly(context.Background(), servers); err != nil {
		t.Errorf("askOnly where the server stops: %v", err)
	}
	wantServers(t, a)
}

// shell returns a codex that runs script, none if that is empty.
func shell(script string) []string {
	if script == "" {
		return nil
	}
	return []string{"/bin/sh", "-c", script, "codex"}
}

// An updater cannot be asked.
func TestAskOnlyUpdater(t *testing.T) {
	a := processtest.NewAccount(t)
	updater := startServer(t, a, "updater")
	servers, err := process.Servers(a.CodexHome)
	testhome.NoError(t, err)
	err = StopOptions{CodexHome: a.CodexHome, Codex: shell("exit 0")}.askOnly(context.Background(), servers)
	if err == nil || !slices.Equal(say.Hints(err), []string{fmt.Sprintf("kill %d", updater.Process.Pid)}) {
		t.Errorf("askOnly: %v with the hints %q", err, say.Hints(err))
	}
	wantAlive(t, updater)
}
