package home

import (
	"os"
	"path/filepath"
	"time"

	"swop/internal/disk"
)

// The elevated sandbox of codex on Windows keeps its set-up in the codex home: secrets and programs in two directories, which are shared,
// and a marker in a directory of diagnostics, which is the account's. A home without the marker is set up again, by an administrator, and
// gets new credentials: so the later marker is copied to where it is missing or older.

const (
	setupDir    = ".sandbox"
	setupMarker = "setup_marker.json"
)

// hasSetup reports whether the sandbox shows the set-up of the shared home.
func (v *view) hasSetup() bool {
	secrets, err := v.own.Stat(".sandbox-secrets")
	programs, err2 := v.own.Stat(".sandbox-bin")
	return v.hardLinks && err == nil && err2 == nil && secrets.IsLink() && programs.IsLink()
}

type marker struct {
	text string    // "" where it is missing
	at   time.Time // when it was written
}

func markerOf(home disk.Dir) (m marker) {
	file := filepath.Join(home.Path, setupDir, setupMarker)
	if info, err := os.Stat(file); err == nil {
		m.at = info.ModTime()
	}
	if text, err := os.ReadFile(file); err == nil {
		m.text = string(text)
	}
	return m
}

// copyMarker copies the later marker at rest: a set-up that was done again is everybody's.
func (v *view) copyMarker() error {
	rest, err := v.idle()
	if err != nil || !rest {
		return err
	}
	from, to := v.shared, v.own
	if markerOf(from).at.Before(markerOf(to).at) {
		from, to = to, from
	}
	if err := to.Mkdir(setupDir); err != nil {
		return err
	}
	in, err := to.OpenDir(setupDir) // fails where it is a link
	if err != nil {
		return err
	}
	defer in.Close()
	m := markerOf(from)
	if err := disk.WriteFile(filepath.Join(in.Path, setupMarker), []byte(m.text)); err != nil {
		return err
	}
	return os.Chtimes(filepath.Join(in.Path, setupMarker), m.at, m.at)
}
