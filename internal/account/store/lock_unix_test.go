//go:build unix

package store

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

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
	l := mustLock(t, func() (account.Lock, error) { return s.LockShared("work", account.ThisProgram) })
	l.Release()
	f, err := os.Open(s.Root)
	testhome.NoError(t, err)
	defer f.Close()
	l.Release()
	if _, err := f.Stat(); err != nil {
		t.Errorf("the second Release closed another file: %v", err)
	}
}

// A session's lock lasts as long as what inherits it; all others end with our process's image.
func TestLockInherits(t *testing.T) {
	s := testStore(t)
	testAccountOf(t, s, "work")
	for _, tt := range []struct {
		name    string
		take    func() (account.Lock, error)
		inherit bool
	}{
		{"session", func() (account.Lock, error) { return s.LockShared("work", account.AcrossExec) }, true},
		{"shared", func() (account.Lock, error) { return s.LockShared("work", account.ThisProgram) }, false},
		{"exclusive", func() (account.Lock, error) { return s.LockExclusive("work") }, false},
		{"selector", s.LockSelector, false},
	} {
		l := mustLock(t, tt.take)
		flags, err := unix.FcntlInt(uintptr(l.Fd), unix.F_GETFD, 0)
		if inherit := flags&unix.FD_CLOEXEC == 0; inherit != tt.inherit || err != nil {
			t.Errorf("%s: inherited %t, %v, want %t", tt.name, inherit, err, tt.inherit)
		}
		l.Release()
	}
}

func TestLockRefusesLink(t *testing.T) {
	s := testStore(t)
	testAccountOf(t, s, "work")
	target := testhome.PutFile(t, s.Home+"/target", "precious")
	testfile.Symlink(t, target, s.LockFile("trap"))
	if l, err := s.LockShared("trap", account.ThisProgram); err == nil {
		l.Release()
		t.Error("a link is locked")
	}
	testhome.NoError(t, os.Mkdir(s.LockFile("dir"), 0o700))
	if l, err := s.LockShared("dir", account.ThisProgram); err == nil {
		l.Release()
		t.Error("a directory is locked")
	}
}
