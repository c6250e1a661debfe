//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"swop/internal/test/testhome"
)

// TestSnapshotOfEndedSession ends codex while a shell still reads the user's start files for it: codex kills that shell, but not its
// children. Swop waits a moment for them, and then names one; when they are gone the account can be renamed and removed at once.
func TestSnapshotOfEndedSession(t *testing.T) {
	u := newUserWithAccounts(t)
	gate := filepath.Join(u.home, "gate")
	testhome.NoError(t, syscall.Mkfifo(gate, 0o600))
	for _, name := range []string{".bash_profile", ".bashrc", ".zprofile", ".zshrc"} { // codex asks the user database for the shell, not SHELL
		u.write(name, "x=$(read line < "+gate+"; echo $line)\n")
	}
	release := u.model.Hold()
	session := u.start(u.exec("a short one").as("work"))
	u.turn("a short one")
	f := u.openGate(gate)
	release()
	if r := u.finish(session); r.status != 0 {
		t.Fatalf("the session exits %d: %q", r.status, r.stderr)
	}
	left := processes(t, u.sandbox("work"))
	if len(left) == 0 {
		t.Fatal("no process outlives the session: nothing is proved")
	}
	r := u.want(4, u.swop("rename", "work", "office"))
	if !strings.Contains(r.stderr, `account "work" is in use: by "`) {
		t.Errorf("rename beside a remnant says %q", r.stderr)
	}
	if _, err := f.WriteString(strings.Repeat("\n", 100)); err != nil { // a line for each that waits
		t.Fatal(err)
	}
	u.ok(u.swop("rename", "work", "office"))
	u.ok(u.swop("remove", "office", "--yes"))
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// openGate waits until a shell has the other end of the FIFO open, to read; one that opens it later waits for a line as well.
func (u *user) openGate(fifo string) *os.File {
	u.t.Helper()
	var f *os.File
	if !eventually(u.t, "a shell that reads the start files", func() (ok bool) {
		var err error
		f, err = os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0) // fails while nobody reads: fifo(7)
		return err == nil
	}) {
		u.t.FailNow()
	}
	return f
}
