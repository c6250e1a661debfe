package process

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/manager/process/processtest"
)

// Without pidfds the start time stands between a signal and a stranger.
func TestHandleWithoutPidfd(t *testing.T) {
	a := processtest.NewTestAccount(t)
	c := processtest.StartChild(t, processtest.CatWith("CODEX_HOME="+a.CodexHome))
	table, err := AccountProcesses(a.CodexHome)
	if err != nil {
		t.Fatal(err)
	}
	none, own := ProcessHandle{fd: -1}, table[c.Process.Pid]
	stranger := own
	stranger.Start++
	if err := none.Signal(stranger, unix.SIGKILL); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("signal to a pid given anew: %v, want %v", err, os.ErrNotExist)
	}
	if err := c.Process.Signal(unix.Signal(0)); err != nil {
		t.Errorf("the child is gone: %v", err)
	}
	if err := none.Signal(own, unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waited := make(chan error)
	go func() { waited <- c.Wait() }() // an ended child that nobody waits for is still there
	if gone, err := none.Wait(context.Background(), own, time.Minute); err != nil || !gone {
		t.Errorf("Wait = %v, %v, want it gone", gone, err)
	}
	<-waited // "signal: terminated"
}
