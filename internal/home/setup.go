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

// markerOf returns the marker and when it was written, nothing where it is missing.
func markerOf(home disk.Dir) (text string, at time.Time) {
	file := filepath.Join(home.Path, setupDir, setupMarker)
	data, err := os.ReadFile(file)
	if info, err2 := os.Stat(file); err == nil && err2 == nil {
		return string(data), info.ModTime()
	}
	return "", at
}

// staleMarker reports whether the sandbox shows the set-up of the shared home, and its marker is another one.
func (v *view) staleMarker() bool {
	mine, _ := markerOf(v.own)
	there, _ := markerOf(v.shared)
	return v.hasSetup() && mine != there
}

// copyMarker copies the later marker at rest: a set-up that was done again is everybody's.
func (v *view) copyMarker() error {
	rest, err := v.idle()
	if err != nil || !rest {
		return err
	}
	to := v.own
	text, at := markerOf(v.shared)
	if mine, later := markerOf(v.own); at.Before(later) {
		to, text, at = v.shared, mine, later
	}
	if err := to.Mkdir(setupDir); err != nil {
		return err
	}
	in, err := to.OpenDir(setupDir) // fails where it is a link
	if err != nil {
		return err
	}
	defer in.Close()
	file := filepath.Join(in.Path, setupMarker)
	if err := disk.WriteFile(file, []byte(text)); err != nil {
		return err
	}
	return os.Chtimes(file, at, at)
}
