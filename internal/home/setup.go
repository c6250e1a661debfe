package home

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"swop/internal/disk"
)

// The elevated sandbox of codex keeps its set-up in the codex home: secrets and programs in two directories, which are shared, and a marker in a
// directory of diagnostics, which is the account's. A home without them is set up again, by an administrator, and gets new credentials.

const (
	setupSecrets = ".sandbox-secrets"
	setupBin     = ".sandbox-bin"
	setupDir     = ".sandbox"
	setupMarker  = "setup_marker.json"
)

func isSetup(name string) bool { return name == setupSecrets || name == setupBin }

// setUp reports whether the home has a complete set-up, of its own or by junctions.
func setUp(home disk.Dir) bool {
	for _, name := range []string{setupSecrets, setupBin, filepath.Join(setupDir, setupMarker)} {
		if _, err := os.Stat(filepath.Join(home.Path, name)); err != nil {
			return false
		}
	}
	return true
}

// setup shares the set-up of the sandbox of Windows.
type setup struct{ *view }

// scan finds a set-up that is to be shared, and markers that are not the same.
func (v setup) scan() []entry {
	if !v.hardLinks {
		return nil
	}
	shared, there, mine := setUp(v.shared), markerOf(v.shared), markerOf(v.own)
	switch {
	case !shared && setUp(v.own):
		return []entry{{name: setupDir, fault: newSetup}}
	case shared && (there.text != mine.text || errors.Join(there.err, mine.err) != nil):
		return []entry{{name: setupDir, fault: oldMarker}}
	}
	return nil
}

func (v setup) repair(e entry) error {
	if rest, err := v.idle(); err != nil || !rest {
		return err
	}
	if e.fault == newSetup {
		return v.share()
	}
	return v.copyMarker()
}

// share moves the set-up of the account to the shared home. The marker comes last: without it nobody uses the rest.
func (v setup) share() error {
	for _, name := range []string{setupSecrets, setupBin} {
		e, err := v.look(name)
		if err == nil && e.mine.IsDir() {
			err = v.adopt(e)
		}
		if err != nil {
			return err
		}
	}
	return putMarker(v.own, v.shared)
}

// copyMarker copies the later marker to where it is missing or older: a set-up that was done again is everybody's.
func (v setup) copyMarker() error {
	if markerOf(v.shared).at.Before(markerOf(v.own).at) && setUp(v.own) {
		return putMarker(v.own, v.shared)
	}
	return putMarker(v.shared, v.own)
}

type marker struct {
	text string
	at   time.Time // when it was written
	err  error
}

func markerOf(home disk.Dir) marker {
	file := filepath.Join(home.Path, setupDir, setupMarker)
	text, err := os.ReadFile(file)
	info, err2 := os.Stat(file)
	if err := errors.Join(err, err2); err != nil {
		return marker{err: err}
	}
	return marker{string(text), info.ModTime(), nil}
}

// putMarker gives the marker of one home to the other, and lets it keep its time.
func putMarker(from, to disk.Dir) error {
	m := markerOf(from)
	if err := errors.Join(m.err, to.Mkdir(setupDir)); err != nil {
		return err
	}
	in, err := to.OpenDir(setupDir) // fails where it is a link
	if err != nil {
		return err
	}
	defer in.Close()
	defer in.Touch(setupMarker, m.at)
	return disk.WriteFile(filepath.Join(in.Path, setupMarker), []byte(m.text))
}
