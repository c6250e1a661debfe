package preflight

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"swop/internal/confine/mount"
	"swop/internal/test/testhome"
)

// TestMain lets this program be the processes of a trial.
func TestMain(m *testing.M) {
	if os.Args[0] == mount.Name {
		os.Exit(mount.Try(os.Args[1]))
	}
	os.Exit(testhome.Suite{Tests: m, Programs: []string{"apparmor_parser"}}.Run())
}

// TestRemembered: what a trial found good is not tried again until the system or codex-swop is another one; what failed is.
func TestRemembered(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ok")
	testhome.NoError(t, Check(file))
	good := testhome.TextOf(file)
	testhome.NoError(t, os.WriteFile(file, []byte(good+"another boot\n"), 0o600))
	testhome.NoError(t, Check(file))
	if got := testhome.TextOf(file); got != good {
		t.Errorf("after another boot it remembers %q, want %q", got, good)
	}
	missing := filepath.Join(t.TempDir(), "no", "ok")
	if err := Check(missing); err == nil || errors.As(err, new(*Unavailable)) {
		t.Errorf("where it cannot be remembered: %v, want an error of the file", err)
	}
	testhome.NoError(t, os.WriteFile(missing[:len(missing)-len("/ok")], []byte(good), 0o600)) // not the file that is asked for
	if err := Check(missing[:len(missing)-len("/ok")]); err != nil {
		t.Errorf("what was found good is tried again: %v", err)
	}
}
