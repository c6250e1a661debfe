package projection

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// onOldFileSystem is how on a file system that knows no rename with flags, as those over a network: there an exchange takes three renames.
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

// An exchange that is cut off or undone leaves two versions, and shows in the times of both: the other one may stay than else. None goes, and
// no link comes where a version was.

// TestEngineOldFileSystemKilled is TestEngineKilled there.
func TestEngineOldFileSystemKilled(t *testing.T) {
	eachCallThen(t, onOldFileSystem((*fault).kill), (*testWorld).completesAlike)
}

// TestEngineOldFileSystemCallFails is TestEngineCallFails there.
func TestEngineOldFileSystemCallFails(t *testing.T) {
	eachCallThen(t, onOldFileSystem((*fault).fail), (*testWorld).completesAlike)
}

// completesAlike reconciles until all is quiet, and tells what then is not as in want but for what the files hold.
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

// Between two of the three renames a program makes a file where one of the two was: it is not renamed over.
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
