//go:build unix

package disk

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"swop/internal/disk/sys"
	"swop/internal/test/testfile"
)

// Where there is no exchange, the other entry itself is renamed, and where it cannot be, nothing changes.
func TestExchangeInSteps(t *testing.T) {
	kept, home := t.TempDir(), t.TempDir()
	d, err := Open(kept, NoFollow)
	to, err2 := Open(home, NoFollow)
	err3 := errors.Join(os.WriteFile(kept+"/x", []byte("ours"), 0o600), os.WriteFile(kept+"/y", []byte("ours"), 0o600),
		os.WriteFile(home+"/x", []byte("theirs"), 0o600))
	testfile.NoError(t, errors.Join(err, err2, err3))
	theirs, _ := to.Stat("x")
	err = d.exchangeInSteps("x", to, "x")
	now, _ := d.Stat("x")
	if text, _ := os.ReadFile(home + "/x"); err != nil || string(text) != "ours" || !now.Same(theirs) {
		t.Errorf("exchanged: %v; outside is %q", err, text)
	}
	err = d.exchangeInSteps("y", to, "y")
	if text, _ := os.ReadFile(kept + "/y"); !errors.Is(err, sys.ENOENT) || string(text) != "ours" {
		t.Errorf("exchanged with a missing entry: %v; ours is %q", err, text)
	}
}

// A directory that may not be written can be renamed, and is as it was after that.
func TestUnlocked(t *testing.T) {
	unlockedIn(t, 0o500)
	unlockedIn(t, 0)
}

func unlockedIn(t *testing.T, mode os.FileMode) {
	dir := t.TempDir()
	d, err := Open(dir, NoFollow)
	testfile.NoError(t, errors.Join(err, os.Mkdir(dir+"/d", 0o500), os.Chmod(dir+"/d", mode|os.ModeSetgid)))
	modes := []os.FileMode{}
	err = d.unlocked("d", func() error { // as an ordinary user, whom the kernel asks for the right
		info, err := os.Stat(dir + "/d")
		if modes = append(modes, info.Mode().Perm()); len(modes) == 1 {
			return syscall.EACCES
		}
		return errors.Join(err, os.Rename(dir+"/d", dir+"/e"))
	})
	info, err2 := os.Stat(dir + "/e")
	if err := errors.Join(err, err2); err != nil || modes[1] != mode|0o600 || info.Mode() != os.ModeDir|os.ModeSetgid|mode {
		t.Errorf("renamed with %v: %v", modes, err)
	}
}
