package join

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"swop/disk"
	"swop/disk/sys"
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
func (e *engine) setUp(home disk.Dir) bool {
	for _, name := range []string{setupSecrets, setupBin, filepath.Join(setupDir, setupMarker)} {
		if _, err := os.Stat(filepath.Join(home.Path, name)); err != nil {
			return false
		}
	}
	return true
}

// scanSetup finds a set-up that is to be shared, and markers that are not the same.
func (e *engine) scanSetup() []finding {
	shared := e.setUp(e.shared)
	switch {
	case !shared && e.setUp(e.own):
		return []finding{{newSetup, setupDir}}
	case shared && !sameMarkers(e.shared, e.own):
		return []finding{{oldMarker, setupDir}}
	}
	return nil
}

func markerOf(home disk.Dir) string { return filepath.Join(home.Path, setupDir, setupMarker) }

func sameMarkers(a, b disk.Dir) bool {
	x, err := os.ReadFile(markerOf(a))
	y, err2 := os.ReadFile(markerOf(b))
	return err == nil && err2 == nil && bytes.Equal(x, y)
}

// shareSetup moves the set-up of the account to the shared home. The marker comes last: without it nobody uses the rest.
func (e *engine) shareSetup() error {
	for _, name := range []string{setupSecrets, setupBin} {
		mine, err := e.own.Stat(name)
		if err == nil && mine.IsDir() {
			if err = e.shared.Err("rename", name, e.own.Move(name, e.shared, name)); err == nil {
				err = e.link(name)
			}
		}
		if err != nil {
			return err
		}
	}
	return putMarker(e.own, e.shared)
}

// copyMarker copies the later marker to where it is missing or older: a set-up that was done again is everybody's.
func (e *engine) copyMarker() error {
	if disk.Older(e.marked(e.shared), e.marked(e.own)) && e.setUp(e.own) {
		return putMarker(e.own, e.shared)
	}
	return putMarker(e.shared, e.own)
}

// marked returns when the marker of the home was written, 1970 where there is none.
func (e *engine) marked(home disk.Dir) sys.Timespec {
	i, _ := disk.Lstat(markerOf(home)) // what cannot be read is not copied either
	return i.Mtime
}

// putMarker gives the marker of one home to the other, and lets it keep its time.
func putMarker(from, to disk.Dir) error {
	text, err := os.ReadFile(markerOf(from))
	info, err2 := os.Stat(markerOf(from))
	if err := errors.Join(err, err2, to.Mkdir(setupDir)); err != nil {
		return err
	}
	in, err := to.OpenDir(setupDir) // fails where it is a link
	if err != nil {
		return err
	}
	defer in.Close()
	defer in.Touch(setupMarker, info.ModTime())
	return disk.WriteFile(markerOf(to), text)
}
