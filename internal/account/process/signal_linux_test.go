package process

import (
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/test/processtest"
	"swop/internal/test/testhome"
)

// The start time protects an unrelated process that has got the pid.
func TestSignal(t *testing.T) {
	a := processtest.NewAccount(t)
	c := processtest.Start(t, processtest.Cat("CODEX_HOME="+a.CodexHome))
	table, err := OfAccount(a.CodexHome)
	testhome.NoError(t, err)
	own := table[c.Process.Pid]
	other := own
	other.start++
	if err := other.Signal(unix.SIGKILL); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("signal to a reused pid: %v, want %v", err, os.ErrProcessDone)
	}
	if gone, err := other.Wait(t.Context(), time.Minute); err != nil || !gone {
		t.Errorf("Wait for a process whose pid is used again = %v, %v, want true", gone, err)
	}
	if err := c.Process.Signal(unix.Signal(0)); err != nil {
		t.Errorf("the child is gone: %v", err)
	}
	testhome.NoError(t, own.Signal(unix.SIGTERM))
	waited := make(chan error)
	go func() { waited <- c.Wait() }() // an ended child that nobody waits for is still there
	if gone, err := own.Wait(t.Context(), time.Minute); err != nil || !gone {
		t.Errorf("Wait = %v, %v, want true", gone, err)
	}
	<-waited // "signal: terminated"
}
