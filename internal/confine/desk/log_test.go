package desk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/internal/test/testhome"
)

// TestLogBounded: the log has two files, each of a bounded size, and what is torn in one is not counted.
func TestLogBounded(t *testing.T) {
	root := t.TempDir()
	e := Event{Time: time.Unix(0, 0).UTC(), Kind: Requested, Account: "work", Ask: strings.Repeat("x", maxLog/8)}
	for range 30 {
		testhome.NoError(t, Note(root, e))
	}
	files, err := os.ReadDir(filepath.Join(root, "log"))
	testhome.NoError(t, err)
	if len(files) != 2 {
		t.Errorf("the log has %d files, want 2", len(files))
	}
	for _, file := range files {
		if info, err := file.Info(); err != nil || info.Size() > maxLog+maxLog/4 {
			t.Errorf("%s: %d bytes, %v, want %d at most", file.Name(), info.Size(), err, maxLog+maxLog/4)
		}
	}
	if counts, err := Counts(root); err != nil || counts[Requested] < 2 {
		t.Errorf("Counts = %v, %v", counts, err)
	}
	short := t.TempDir()
	testhome.NoError(t, Note(short, Event{Kind: Grant}))
	testhome.PutFile(t, logFile(short), testhome.TextOf(logFile(short))+"{\"event\":\"gra\n\n[]\n")
	testhome.NoError(t, Note(short, Event{Kind: Grant}))
	if counts, err := Counts(short); err != nil || counts[Grant] != 2 {
		t.Errorf("Counts = %v, %v, want 2 of %q", counts, err, Grant)
	}
}
