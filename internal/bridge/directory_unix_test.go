//go:build unix

package bridge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/test/testhome"
)

// TestSessionKilled: what a killed session left goes with the next one, and what one that lives has stays.
func TestSessionKilled(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	killed, err := makeDirectory(root, nil)
	testhome.NoError(t, err)
	testhome.PutText(t, killed.socket("tracker"), "")
	killed.lock.Release()
	ended, err := makeDirectory(root, nil)
	testhome.NoError(t, err)
	testhome.NoError(t, os.Remove(filepath.Join(ended.dir, "lock")))
	alive, err := makeDirectory(root, nil)
	testhome.NoError(t, err)
	next, err := makeDirectory(root, nil)
	testhome.NoError(t, err)
	if testhome.Exists(killed.dir) || testhome.Exists(ended.dir) || !testhome.Exists(alive.dir) || !testhome.Exists(next.dir) {
		t.Errorf("left of the killed one: %t; others: %t, %t", testhome.Exists(killed.dir), testhome.Exists(alive.dir), testhome.Exists(next.dir))
	}
	if long, err := makeDirectory(filepath.Join(t.TempDir(), strings.Repeat("long", 30)), config.Bridges{{Name: "tracker"}}); err == nil ||
		testhome.Exists(long.dir) {
		t.Errorf("the socket is %s, %v", long.socket("tracker"), err)
	}
	for _, p := range []directory{alive, next} {
		testhome.NoError(t, p.remove())
	}
}
