//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/account"
	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

// What is no account of ours is not deleted, whatever the caller believes.
func TestDeleteRefuses(t *testing.T) {
	for name, change := range map[string]func(s Store, a *account.Account) error{
		"missing":      func(_ Store, a *account.Account) error { a.Key = "none"; return nil },
		"above":        func(_ Store, a *account.Account) error { a.Key = ".."; return nil },
		"here":         func(_ Store, a *account.Account) error { a.Key = "."; return nil },
		"without meta": func(_ Store, a *account.Account) error { return os.Remove(filepath.Join(a.Dir, "meta.json")) },
		"another's meta": func(s Store, a *account.Account) error {
			a.Key = "moved"
			return os.Rename(a.Dir, s.AccountDir("moved"))
		},
		"open to others":  func(_ Store, a *account.Account) error { return os.Chmod(a.Dir, 0o755) },
		"path of its own": func(s Store, a *account.Account) error { a.Dir = filepath.Join(s.Home, "precious"); return nil },
		"a file": func(_ Store, a *account.Account) error {
			return errors.Join(os.RemoveAll(a.Dir), os.WriteFile(a.Dir, nil, 0o600))
		},
		"a link": func(s Store, a *account.Account) error {
			to := filepath.Join(s.Home, "elsewhere")
			return errors.Join(os.Rename(a.Dir, to), os.Symlink(to, a.Dir))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := testStore(t)
			a := testAccountOf(t, s, "work")
			testhome.PutFile(t, filepath.Join(s.Home, "precious", "file"), "x")
			testhome.NoError(t, change(s, &a))
			before := testhome.Tree(t, s.Home)
			err := s.Delete(a, "")
			if name == "path of its own" { // the key decides; what lies elsewhere stays
				if _, err := os.Lstat(filepath.Join(s.Home, "precious", "file")); err != nil {
					t.Error("Delete took a directory outside")
				}
				return
			}
			if err == nil {
				t.Errorf("Delete(%+v) succeeds", a)
			}
			testhome.WantTree(t, s.Home, before)
		})
	}
}

// A removal that was cut off is completed, also where it had begun. While another run builds, all stays.
func TestEmptyTrash(t *testing.T) {
	s := testStore(t)
	if err := s.EmptyTrash(); err != nil {
		t.Errorf("EmptyTrash without a root = %v", err)
	}
	a := testAccountOf(t, s, "work")
	outside := filepath.Join(filepath.Dir(s.Home), "outside")
	testhome.PutFile(t, filepath.Join(outside, "file"), "precious")
	before := testhome.Tree(t, outside)
	_, err := s.trash(a, "")
	testhome.NoError(t, err)
	wantAccounts(t, s)
	testfile.Symlink(t, outside, filepath.Join(s.Path("trash"), "link"))
	testhome.PutFile(t, filepath.Join(s.Path("trash"), buildPrefix+"X", "home", "f"), "")
	building, err := account.Flock(s.LockFile(buildLock), unix.LOCK_SH, unix.O_CLOEXEC)
	testhome.NoError(t, err)
	full := testhome.Tree(t, s.Path("trash"))
	if err := s.EmptyTrash(); err != nil {
		t.Errorf("EmptyTrash while another builds = %v", err)
	}
	testhome.WantTree(t, s.Path("trash"), full)
	building.Release()
	var files unix.Rlimit // fewer than the directories that a session has nested
	testhome.PutFile(t, filepath.Join(s.Path("trash"), "deep", strings.Repeat("d/", 600), "file"), "")
	testhome.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &files))
	testhome.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 300, Max: files.Max}))
	err = s.EmptyTrash()
	testhome.NoError(t, errors.Join(err, unix.Setrlimit(unix.RLIMIT_NOFILE, &files)))
	if got := testhome.Tree(t, s.Path("trash")); strings.Contains(got, "\n") {
		t.Errorf("trash holds\n%s", got)
	}
	testhome.WantTree(t, outside, before)
}

// Of accounts that are added at once where one left its link, one is made, and its link is replaced only once.
func TestCreateOverLeft(t *testing.T) {
	s := testStore(t)
	testAccountOf(t, s, "other")
	lockShared(t, s, "work")
	s.Touch("work", time.Now()) // as a session of the one that left it
	for range 20 {
		testhome.NoError(t, makeLeft(s, s.AccountDir("work"), s.Home))
		var made atomic.Int32
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				a, err := s.Create(s.testNew("work"))
				switch {
				case err == nil:
					made.Add(1)
					testhome.PutFile(t, a.AuthFile(), "login")
				case !errors.Is(err, account.ErrExists):
					t.Errorf("Create = %v", err)
				}
			})
		}
		group.Wait()
		a, err := s.Account("work")
		if err != nil || made.Load() != 1 || !testhome.Exists(a.AuthFile()) {
			t.Fatalf("%d were made, and then there is %+v, %v, with a login: %t", made.Load(), a, err, testhome.Exists(a.AuthFile()))
		}
		testhome.NoError(t, s.Delete(a, ""))
		if !s.isLeft("work") {
			t.Fatal("the account that replaced a link leaves none")
		}
		testhome.NoError(t, os.RemoveAll(s.AccountDir("work")))
	}
}
