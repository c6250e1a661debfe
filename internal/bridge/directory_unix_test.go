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

func TestSessionPlace(t *testing.T) {
	s := open(t, nil, tracker(t, "http://127.0.0.1:1", "GET /**"))
	env := s.Env(nil)
	socket := env.Value("SWOP_BRIDGE_TRACKER_SOCKET")
	if url := env.Value("SWOP_BRIDGE_TRACKER_URL"); url != "http+unix://"+strings.ReplaceAll(socket, "/", "%2F") {
		t.Errorf("the address of %s is %s", socket, url)
	}
	info, err := os.Stat(filepath.Dir(socket))
	testhome.NoError(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("its directory has the mode %v", info.Mode())
	}
	testhome.NoError(t, s.Close())
	if entries, err := os.ReadDir(runDir(s.options.Root)); err != nil || len(entries) != 0 {
		t.Errorf("what stays is %v, %v", entries, err)
	}
}

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
