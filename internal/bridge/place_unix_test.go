//go:build unix

package bridge

import (
	"os"
	"path/filepath"
	"runtime"
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
	killed, err := newPlace(root, nil)
	testhome.NoError(t, err)
	testhome.PutText(t, killed.socket("tracker"), "")
	killed.lock.Release()
	ended, err := newPlace(root, nil)
	testhome.NoError(t, err)
	testhome.NoError(t, os.Remove(filepath.Join(ended.dir, "lock")))
	alive, err := newPlace(root, nil)
	testhome.NoError(t, err)
	next, err := newPlace(root, nil)
	testhome.NoError(t, err)
	if testhome.Exists(killed.dir) || testhome.Exists(ended.dir) || !testhome.Exists(alive.dir) || !testhome.Exists(next.dir) {
		t.Errorf("left of the killed one: %t; others: %t, %t", testhome.Exists(killed.dir), testhome.Exists(alive.dir), testhome.Exists(next.dir))
	}
	t.Setenv("TMPDIR", t.TempDir()) // which a session of another account may see
	long, err := newPlace(filepath.Join(t.TempDir(), strings.Repeat("long", 30)), config.Bridges{{Name: "tracker"}})
	testhome.NoError(t, err)
	if len(long.socket("tracker")) > maxSocketPath || runtime.GOOS == "linux" && filepath.Dir(long.dir) != "/tmp" {
		t.Errorf("the socket is %s", long.socket("tracker"))
	}
	for _, p := range []place{alive, next, long} {
		testhome.NoError(t, p.remove())
	}
}
