package mirror

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// On a full disk nothing is moved, and it is said. The next scan finds it again.
func TestEngineFullDisk(t *testing.T) {
	s := newStepper(t)
	w := newWorld(t, testhome.Scratch(t), "a")
	testhome.PutText(t, filepath.Join(w.codex("a"), "new"), "kept 1")
	_, err := s.run(func() error { return w.reconcile("a", idle) }, func(_ int, call string) unix.Errno {
		if strings.HasPrefix(call, "link new to") {
			return unix.ENOSPC
		}
		return 0
	})
	if err != nil || len(w.said) != 1 || !strings.Contains(w.said[0], "no space left") {
		t.Errorf("Reconcile = %v, said is %q, want no error and that there is no room", err, w.said)
	}
	wantText(t, filepath.Join(w.codex("a"), "new"), "kept 1")
	testhome.NoError(t, w.reconcile("a", idle))
	wantText(t, filepath.Join(w.shared, "new"), "kept 1")
}

// A program opens its file after that was found equal to the shared one: it is not removed, and what is written then is not lost.
func TestEngineEqualFileIsOpenedMeanwhile(t *testing.T) {
	s := newStepper(t)
	w := newWorld(t, testhome.Scratch(t), "a")
	shareFile(t, w, "notes", "text")
	own := filepath.Join(w.codex("a"), "notes")
	replaceFile(t, own, "text")
	var opened *os.File
	_, err := s.run(func() error { return w.reconcile("a", noProcesses) }, func(_ int, call string) unix.Errno {
		if opened == nil && call == "rename notes to notes (exchange)" {
			var err error
			opened, err = os.OpenFile(own, os.O_WRONLY|os.O_APPEND, 0)
			testhome.NoError(t, err)
		}
		return 0
	})
	testhome.NoError(t, err)
	if opened == nil {
		t.Fatalf("no exchange in %q", s.log)
	}
	_, err = opened.WriteString(" and more")
	testhome.NoError(t, errors.Join(err, opened.Close()))
	testhome.NoError(t, w.settle())
	wantHeld(t, w, "text and more")
}
