package confine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/config"
	"swop/internal/confine/desk"
	"swop/internal/test/testhome"
)

// TestEventsBounded: whatever a program inside does, the log keeps what other sessions noted, and what was given to this one.
func TestEventsBounded(t *testing.T) {
	root := t.TempDir()
	testhome.NoError(t, desk.Note(root, desk.Event{Kind: desk.Begun, Account: "other"}))
	j := &Jail{request: Request{Places: config.Places{Root: root}, Now: time.Now}}
	long := strings.Repeat("<", 1<<16) // each is six bytes in JSON
	for i := range 2 * maxTold {
		j.note(desk.Blocked, fmt.Sprint(i, long), long)
		j.note(desk.Requested, fmt.Sprint(i), "")
		j.note(desk.Denial, "the same", "")
	}
	for range 3 {
		j.note(desk.Grant, "the same", "")
	}
	counts, err := desk.Counts(root)
	told := counts[desk.Blocked] + counts[desk.Requested] + counts[desk.Denial]
	if err != nil || counts[desk.Begun] != 1 || told != maxTold || counts[desk.Grant] != 3 {
		t.Errorf("Counts = %v, %v", counts, err)
	}
	if info, err := os.Stat(filepath.Join(root, "log", "confinement.jsonl")); err != nil || info.Size() > 1<<20 {
		t.Errorf("the log has %d bytes, %v", info.Size(), err)
	}
}
