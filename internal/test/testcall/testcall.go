//go:build unix

// Package testcall has a call of codex swop for tests of its verbs.
package testcall

import (
	"os"
	"testing"
	"time"

	"swop/internal/test/testfile"
	"swop/manager/terminal"
	"swop/manager/verb"
)

var Noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// New is an app whose output is no terminal.
func New(t *testing.T) *verb.Call {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	testfile.NoError(t, err)
	t.Cleanup(func() { null.Close() })
	return &verb.Call{Now: func() time.Time { return Noon }, Streams: terminal.Streams{Stdin: null, Stdout: null, Stderr: null}}
}
