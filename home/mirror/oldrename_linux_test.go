package mirror

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// onOldFileSystem does what how does, on a file system without the flags of renameat2(2), as over a network: there an exchange takes three
// renames.
func onOldFileSystem(how func(*fault) step) func(*fault) step {
	return func(f *fault) step {
		goesWrong := how(f)
		return func(n int, call string) unix.Errno {
			if errno := goesWrong(n, call); errno != 0 {
				return errno
			}
			if strings.HasSuffix(call, " (exchange)") || strings.HasSuffix(call, " (no replace)") {
				return unix.EINVAL
			}
			return 0
		}
	}
}

// An exchange that is interrupted or undone leaves two versions and changes the times of both: the version that stays may be another one than
// usual. Neither is lost, and no link replaces a version.

// TestEngineOldFileSystemKilled is TestEngineKilled on such a file system.
func TestEngineOldFileSystemKilled(t *testing.T) {
	eachCallThen(t, onOldFileSystem((*fault).kill), (*testWorld).completesAlike)
}

// TestEngineOldFileSystemCallFails is TestEngineCallFails on such a file system.
func TestEngineOldFileSystemCallFails(t *testing.T) {
	eachCallThen(t, onOldFileSystem((*fault).fail), (*testWorld).completesAlike)
}

// completesAlike reconciles until nothing is left to repair, and returns what differs from want then, but for the contents of files.
func (w *testWorld) completesAlike(want *testWorld) (wrong []string) {
	if err := w.settle(); err != nil {
		wrong = append(wrong, err.Error())
	}
	wrong = append(wrong, w.lacks(want)...)
	if got, wanted := withoutTexts(w.tree(w.home)), withoutTexts(want.tree(want.home)); !slices.Equal(got, wanted) {
		wrong = append(wrong, fmt.Sprintf("the home has\n%q, want\n%q", got, wanted))
	}
	return wrong
}

func withoutTexts(lines []string) (names []string) {
	for _, line := range lines {
		name, _, _ := strings.Cut(line, " = ")
		names = append(names, name)
	}
	return names
}

// Between two of the three renames a program makes a file at the name that is free then: no rename replaces it.
func TestEngineOldFileSystemReplacesNothing(t *testing.T) {
	s := newStepper(t)
	for _, dir := range []string{"own", "shared"} {
		w := newWorld(t, testhome.Scratch(t), "a")
		startStates["a replaced link"](w, w.codex("a"), w.shared)
		file, acted := filepath.Join(map[string]string{"own": w.codex("a"), "shared": w.shared}[dir], "config.toml"), false
		goesOn := onOldFileSystem(func(*fault) step { return func(int, string) unix.Errno { return 0 } })(nil)
		_, err := s.run(func() error { return w.reconcile("a", noProcesses) }, func(n int, call string) unix.Errno {
			if !acted && !testhome.Exists(file) && strings.HasPrefix(call, "rename ") {
				acted = true
				testhome.PutText(t, file, "kept 3")
			}
			return goesOn(n, call)
		})
		if err != nil || !acted {
			t.Errorf("%s: Reconcile = %v, the program acted: %v, want no error and true", dir, err, acted)
		}
		wantHeld(t, w, "kept 1", "kept 3")
	}
}
