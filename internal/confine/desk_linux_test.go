package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/bridge"
	"swop/internal/confine/desk"
	"swop/internal/test/testhome"
)

// TestEventsBounded: whatever a program inside does, the log keeps what other sessions noted, and what was given to this one.
func TestEventsBounded(t *testing.T) {
	root := t.TempDir()
	testhome.NoError(t, desk.Note(root, desk.Event{Kind: desk.Begun, Account: "other"}))
	j := &Jail{scene: Scene{Places: config.Places{Root: root}, Request: Request{Now: time.Now}}}
	long := strings.Repeat("<", 1<<16) // each is six bytes in JSON
	for i := range 2 * maxTold {
		j.note(desk.Blocked, desk.Ask{Target: fmt.Sprint(i, long)}, long)
		j.note(desk.Requested, desk.Ask{Target: fmt.Sprint(i)}, "")
		j.note(desk.Denial, desk.Ask{Target: "the same"}, "")
	}
	for range 3 {
		j.note(desk.Grant, desk.Ask{Target: "the same"}, "")
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

// TestObeyedElsewhere: no session begins where it could write what a running one of another account is given.
func TestObeyedElsewhere(t *testing.T) {
	root := t.TempDir()
	testhome.NoError(t, os.MkdirAll(root+"/run/other.1", 0o700))
	other := Jail{dir: bridge.Directory{Path: root + "/run/other.1"}, scene: Scene{Places: config.Places{Home: root, Root: root}}}
	testhome.NoError(t, other.noteObeyed("/w/in/venv"))
	testhome.NoError(t, other.grant(desk.Answer{Ask: desk.Ask{Kind: desk.KindRead, Target: "/h/rc"}}, false, true))
	for path, refused := range map[string]bool{"/w": true, "/w/in/venv/bin": true, "/w/in/venv2": false, "/w/ot": false, "/h/rc": true} {
		for key, isOther := range map[string]bool{"work": true, "othe": true, "other": false} {
			j := Jail{scene: Scene{Request: Request{Account: account.Account{Key: key}}, Places: config.Places{Home: "/h", Root: root}}}
			if got := j.isObeyed(path); got != (refused && isOther) {
				t.Errorf("%s is given to one that runs: %t, for %s", path, got, key)
			}
		}
	}
	file := filepath.Join(other.dir.Path, givenFile)
	testhome.NoError(t, errors.Join(os.Remove(file), os.Mkdir(file, 0o700)))
	if j := (Jail{scene: Scene{Places: config.Places{Root: root}}}); !j.isObeyed("/none") {
		t.Error("what cannot be read is taken for nothing")
	}
}
