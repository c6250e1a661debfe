package confine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/config"
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

// TestEventsBounded: whatever a program inside does, the log keeps what other sessions noted, and what was given to this one.
func TestEventsBounded(t *testing.T) {
	root := t.TempDir()
	testhome.NoError(t, Note(root, Event{Kind: Started, Account: "other"}))
	j := &Jail{request: Request{Places: config.Places{Root: root}, Now: time.Now}}
	long := strings.Repeat("<", 1<<16) // each is six bytes in JSON
	for i := range 2 * maxTold {
		j.note(Blocked, fmt.Sprint(i, long), long)
		j.note(Requested, fmt.Sprint(i), "")
		j.note(Denial, "the same", "")
	}
	for range 3 {
		j.note(Grant, "the same", "")
	}
	counts, err := Counts(root)
	if err != nil || counts[Started] != 1 || counts[Blocked]+counts[Requested]+counts[Denial] != maxTold || counts[Grant] != 3 {
		t.Errorf("Counts = %v, %v", counts, err)
	}
	if info, err := os.Stat(logFile(root)); err != nil || info.Size() > maxLog {
		t.Errorf("the log has %d bytes, %v", info.Size(), err)
	}
}
