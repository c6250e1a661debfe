//go:build unix

package store

import (
	"os"
	"testing"

	"swop/internal/account"
	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

func mustLock(t *testing.T, take func() (account.Lock, error)) account.Lock {
	t.Helper()
	l, err := take()
	testhome.NoError(t, err)
	t.Cleanup(l.Release)
	return l
}

// Releasing twice must not close a file that got the number since.
func TestReleaseTwice(t *testing.T) {
	s := testStore(t)
	testAccountOf(t, s, "work")
	l := mustLock(t, func() (account.Lock, error) { return s.LockShared("work") })
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
	if l, err := s.LockShared("trap"); err == nil {
		l.Release()
		t.Error("a link is locked")
	}
	testhome.NoError(t, os.Mkdir(s.LockFile("dir"), 0o700))
	if l, err := s.LockShared("dir"); err == nil {
		l.Release()
		t.Error("a directory is locked")
	}
}
