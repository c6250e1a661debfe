//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/e2e/realcodex"
)

// A start that has to wait says so to the person at the terminal, and the text is gone when codex begins.
func TestProgress(t *testing.T) {
	u := newUserWithAccounts(t)
	if err := os.Remove(filepath.Join(u.sandbox("work"), "skills")); err != nil { // it must be linked again
		t.Fatal(err)
	}
	release := u.holdHome()
	w := u.openTerminal("codex --version; echo ended $?; cat", "SWOP_ACCOUNT=work")
	w.await(`swop: preparing the account "work"`)
	release()
	w.await("ended")
	screen := strings.TrimRight(w.tmux("capture-pane", "-p", "-S", "-"), "\n")
	if want := "codex-cli " + realcodex.Version + "\nended 0"; screen != want {
		t.Errorf("the terminal shows %q, want %q", screen, want)
	}
}

// holdHome is another reconcile of the same shared home, until it is released.
func (u *user) holdHome() (release func()) {
	u.t.Helper()
	files, err := filepath.Glob(filepath.Join(u.root, "locks", ".home-*"))
	if err != nil || len(files) != 1 {
		u.t.Fatalf("locks of the shared home: %q, %v", files, err)
	}
	f, err := os.OpenFile(files[0], os.O_RDWR, 0)
	if err == nil {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		u.t.Fatal(err)
	}
	return func() { f.Close() }
}
