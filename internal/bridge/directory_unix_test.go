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
	root := filepath.Join(t.TempDir(), "root")
	killed, err := makeDirectory(root)
	testhome.NoError(t, err)
	testhome.PutText(t, killed.socket("tracker"), "")
	killed.lock.Release()
	ended, err := makeDirectory(root)
	testhome.NoError(t, err)
	testhome.NoError(t, os.Remove(filepath.Join(ended.dir, "lock")))
	alive, err := makeDirectory(root)
	testhome.NoError(t, err)
	next, err := makeDirectory(root)
	testhome.NoError(t, err)
	if testhome.Exists(killed.dir) || testhome.Exists(ended.dir) || !testhome.Exists(alive.dir) || !testhome.Exists(next.dir) {
		t.Errorf("left of the killed one: %t; others: %t, %t", testhome.Exists(killed.dir), testhome.Exists(alive.dir), testhome.Exists(next.dir))
	}
	long := Session{directory: directory{dir: filepath.Join(alive.dir, strings.Repeat("long", 30))}}
	if err := long.serveAt("tracker", nil); len(say.Hints(err)) != 1 {
		t.Errorf("the socket is %s, %v", long.directory.socket("tracker"), err)
	}
	for _, p := range []directory{alive, next} {
		testhome.NoError(t, p.remove())
	}
}
