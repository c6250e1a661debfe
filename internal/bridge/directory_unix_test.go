//go:build unix

package bridge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/say"
	"swop/internal/test/testhome"
)

// TestSessionKilled: what a killed session left goes with the next one, and what one that lives has stays.
func TestSessionKilled(t *testing.T) {
	root := t.TempDir()
	testhome.NoError(t, os.Mkdir(filepath.Join(root, "locks"), 0o700))
	killed, err := MakeDirectory(root, "")
	testhome.NoError(t, err)
	testhome.PutText(t, killed.socket("tracker"), "")
	killed.lock.Release()
	ended, err := MakeDirectory(root, "")
	testhome.NoError(t, err)
	testhome.NoError(t, os.Remove(filepath.Join(ended.Path, "lock")))
	alive, err := MakeDirectory(root, "")
	testhome.NoError(t, err)
	next, err := MakeDirectory(root, "")
	testhome.NoError(t, err)
	for d, want := range map[Directory]bool{killed: false, ended: false, alive: true, next: true} {
		if testhome.Exists(d.Path) != want {
			t.Errorf("%s is there: %t, want %t", d.Path, !want, want)
		}
	}
	long := Session{directory: Directory{Path: filepath.Join(alive.Path, strings.Repeat("long", 30))}}
	if err := long.serveAt("tracker", nil); len(say.Hints(err)) != 1 {
		t.Errorf("the socket is %s, %v", long.directory.socket("tracker"), err)
	}
	for _, p := range []Directory{alive, next} {
		testhome.NoError(t, p.Remove())
	}
}
