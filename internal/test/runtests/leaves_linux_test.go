package main

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/test/testhome"
)

// What codex's sandbox leaves in /tmp where it is killed goes with the run; what was there before, or holds something, stays.
func TestScriptTidies(t *testing.T) {
	if !testhome.InNamespace(t) {
		return
	}
	t.Setenv("TMPDIR", "/var/tmp")
	testhome.NoError(t, unix.Mount("tmpfs", "/tmp", "tmpfs", 0, "mode=1777"))
	for _, version := range []string{"go1.26", "go1.100.1", "go1.27rc1", "go1.26.8-X:nodwarf5", "devel"} {
		if out, status := ranBy(t, version); status != 0 || out != "ran\n" {
			t.Errorf("Go %s: status %d:\n%s", version, status, out)
		}
		if left, err := os.ReadDir("/tmp"); err != nil || len(left) > 0 {
			t.Errorf("left in /tmp: %v, %v", left, err)
		}
	}
	testhome.NoError(t, os.Mkdir("/tmp/.git", 0o700))
	ranBy(t, "go1.26")
	if left, err := os.ReadDir("/tmp"); err != nil || len(left) != 1 || left[0].Name() != ".git" {
		t.Errorf("left beside a .git that was there: %v, %v", left, err)
	}
}
