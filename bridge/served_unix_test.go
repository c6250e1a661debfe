//go:build unix

package bridge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/internal/testhome"
)

// TestSweepReceived: what a killed session left is removed, and nothing that only looks like it.
func TestSweepReceived(t *testing.T) {
	const about = `{"version":1,"path":"/v1","ports":1,"auth":""}`
	start := filepath.Join(t.TempDir(), "swop-")
	testhome.NoError(t, Receive(start+"left", strings.NewReader(about)))
	for name, text := range map[string]string{"other": "{}", "notes": "mine"} {
		testhome.NoError(t, os.Mkdir(start+name, 0o700))
		testhome.PutFile(t, filepath.Join(start+name, servedFile), text)
	}
	testhome.NoError(t, os.Mkdir(start+"empty", 0o700))
	SweepReceived(start, time.Now())
	if _, err := os.Stat(start + "left"); err != nil {
		t.Errorf("one that may wait for its sockets: %v", err)
	}
	SweepReceived(start, time.Now().Add(2*receiveTime))
	if _, err := os.Stat(start + "left"); !os.IsNotExist(err) {
		t.Errorf("one that was left: %v", err)
	}
	for _, name := range []string{"other/" + servedFile, "notes/" + servedFile, "empty"} {
		if _, err := os.Stat(start + name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Receive(start+"notes", strings.NewReader(about)); err == nil {
		t.Error("a directory that is there is taken")
	}
	if err := Receive(start+"new", strings.NewReader(strings.Replace(about, "1", "2", 1))); err == nil || !strings.Contains(err.Error(), "another release") {
		t.Errorf("of another release: %v", err)
	}
}
