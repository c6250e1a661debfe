package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

// Where test.sh is started in a terminal, no test has it: bash -i of a test would take it for itself, and stop test.sh.
func TestScriptTerminal(t *testing.T) {
	testhome.NotShort(t, "runs go test")
	dir := t.TempDir()
	probe := testfile.Put(t, filepath.Join(dir, "probe"),
		"#!/bin/sh\nif (: </dev/tty) 2>/dev/null; then echo terminal; else echo none; fi >"+dir+"/seen\nexec \"$@\"\n", 0o755)
	_, slave := testhome.OpenTerminal(t)
	cmd := exec.Command("../../../test.sh", "./internal/say", "-run", "^TestEnv$", "-exec", probe)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	testhome.NoError(t, cmd.Run())
	if seen, err := os.ReadFile(filepath.Join(dir, "seen")); err != nil || string(seen) != "none\n" {
		t.Errorf("a test has %q, %v, want none", seen, err)
	}
}
