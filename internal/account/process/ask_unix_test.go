//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"swop/internal/test/testhome"
)

// When its context ends, a program that is asked is killed with its process group.
func TestAskCancelled(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	testhome.NoError(t, syscall.Mkfifo(fifo, 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	pid := make(chan int, 1)
	go func() {
		defer cancel()
		text, _ := os.ReadFile(fifo) // as below
		n, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		pid <- n
	}()
	program := Program{Path: "/bin/sh", Args: []string{"sh", "-c", `trap "" HUP; sleep 60 & echo $! >"$1"; wait`, "sh", fifo}}
	if _, err := Ask(ctx, program, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("Ask: %v, want %v", err, context.Canceled)
	}
	testhome.WantEnded(t, <-pid)
}
