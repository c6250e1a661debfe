//go:build unix

package store

import (
	"os"
	"testing"

	"swop/internal/account"
	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

func lockShared(t *testing.T, s Store, key string) account.Lock {
	t.Helper()
	l, err := s.LockShared(key)
	testhome.NoError(t, err)
	t.Cleanup(l.Release)
	return l
}

// Releasing twice must not close a file that got the number since.
func TestReleaseTwice(t *testing.T) {
	s := testStore(t)
	testAccountOf(t, s, "work")
	l := lockShared(t, s, "work")
	l.Release()
	f, err := os.Open(s.Root)
	testhome.NoError(t, err)
	defer f.Close()
	l.Release()
	if _, err := f.Stat(); err != nil {
		t.Errorf("the second Release closed another file: %v", err)
	}
}

func TestLockRefusesLink(t *testing.T) {
	s := testStore(t)
	testAccountOf(t, s, "work")
	target := testhome.PutFile(t, s.Home+"/target", "precious")
	testfile.Symlink(t, target, s.LockFile("trap"))
	testhome.NoError(t, os.Mkdir(s.LockFile("dir"), 0o700))
	for _, name := range []string{"trap", "dir"} {
		if l, err := s.LockShared(name); err == nil {
			l.Release()
			t.Errorf("%s is locked", name)
		}
	}
}
