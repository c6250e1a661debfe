//go:build unix

package manager

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// setTraps fills the sandbox with what leads outside or is hard to remove, and returns the outside directory.
func setTraps(t *testing.T, s Store, a Account) string {
	t.Helper()
	outside := filepath.Join(filepath.Dir(s.Home), "outside")
	victim := putFile(t, filepath.Join(outside, "deep", "file"), "precious")
	putFile(t, a.AuthFile(), "login")
	for _, link := range []struct{ target, name string }{
		{outside, "to a directory"},
		{victim, "to a file"},
		{"../../../../../outside", "relative"},
		{"..", "up"},
		{"/", "to all"},
		{"gone", "dangling"},
		{".", "to itself"},
	} {
		symlink(t, link.target, filepath.Join(a.Home(), link.name))
	}
	deep := filepath.Join(a.Home(), strings.Repeat("d/", 60))
	locked := filepath.Join(a.Home(), "locked", "inside")
	for _, err := range []error{
		os.Link(victim, filepath.Join(a.Home(), "hard link")),
		os.MkdirAll(deep, 0o700),
		os.MkdirAll(locked, 0o700),
		os.WriteFile(filepath.Join(locked, "read-only"), nil, 0o400),
		os.Symlink(outside, filepath.Join(locked, "link")),
		unix.Mkfifo(filepath.Join(a.Home(), "fifo"), 0o600),
		os.WriteFile(filepath.Join(a.Home(), "-rf \n\x01*"), nil, 0),
		os.Mkdir(filepath.Join(a.Home(), "dead"), 0),
		os.Chmod(locked, 0o500),
		os.Chmod(filepath.Dir(locked), 0o500),
		os.Chmod(victim, 0o640),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return outside
}

func TestDelete(t *testing.T) {
	s := testStore(t)
	a := testAccountOf(t, s, "work")
	other := testAccountOf(t, s, "other")
	outside := setTraps(t, s, a)
	if err := s.MarkPending(a.Key); err != nil {
		t.Fatal(err)
	}
	before, otherBefore := tree(t, outside), tree(t, other.Dir)
	if err := s.Delete(a, ""); err != nil {
		t.Errorf("Delete failed: %v", err)
	}
	if after := tree(t, outside); after != before {
		t.Errorf("outside changed from\n%s\nto\n%s", before, after)
	}
	if after := tree(t, other.Dir); after != otherBefore {
		t.Errorf("the other account changed from\n%s\nto\n%s", otherBefore, after)
	}
	wantAccounts(t, s, "other")
	for _, dir := range []string{"trash", "pending"} {
		if lines := tree(t, s.sub(dir)); strings.Contains(lines, "\n") {
			t.Errorf("left in %s:\n%s", dir, lines)
		}
	}
	if _, err := os.Lstat(s.LockFile("work")); err == nil {
		return
	} else if _, err := os.Lstat(s.sub("locks")); err != nil {
		t.Error("the locks are gone")
	}
}

// What is no account of ours is not deleted, whatever the caller believes.
func TestDeleteRefuses(t *testing.T) {
	for name, change := range map[string]func(s Store, a *Account) error{
		"missing":         func(_ Store, a *Account) error { a.Key = "none"; return nil },
		"above":           func(_ Store, a *Account) error { a.Key = ".."; return nil },
		"here":            func(_ Store, a *Account) error { a.Key = "."; return nil },
		"without meta":    func(_ Store, a *Account) error { return os.Remove(filepath.Join(a.Dir, "meta.json")) },
		"another's meta":  func(s Store, a *Account) error { a.Key = "moved"; return os.Rename(a.Dir, s.dir("moved")) },
		"open to others":  func(_ Store, a *Account) error { return os.Chmod(a.Dir, 0o755) },
		"path of its own": func(s Store, a *Account) error { a.Dir = filepath.Join(s.Home, "precious"); return nil },
		"a file": func(_ Store, a *Account) error {
			return errors.Join(os.RemoveAll(a.Dir), os.WriteFile(a.Dir, nil, 0o600))
		},
		"a link": func(s Store, a *Account) error {
			to := filepath.Join(s.Home, "elsewhere")
			return errors.Join(os.Rename(a.Dir, to), os.Symlink(to, a.Dir))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := testStore(t)
			a := testAccountOf(t, s, "work")
			putFile(t, filepath.Join(s.Home, "precious", "file"), "x")
			if err := change(s, &a); err != nil {
				t.Fatal(err)
			}
			before := tree(t, s.Home)
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
			if after := tree(t, s.Home); after != before {
				t.Errorf("changed from\n%s\nto\n%s", before, after)
			}
		})
	}
}

// A removal that was cut off is completed, also where it had begun. What is being built meanwhile stays.
func TestEmptyTrash(t *testing.T) {
	s := testStore(t)
	if err := s.EmptyTrash(); err != nil {
		t.Errorf("EmptyTrash without a root = %v", err)
	}
	a := testAccountOf(t, s, "work")
	outside := setTraps(t, s, a)
	before := tree(t, outside)
	if _, err := s.trash(a, ""); err != nil {
		t.Fatal(err)
	}
	wantAccounts(t, s)
	symlink(t, outside, filepath.Join(s.sub("trash"), "link"))
	putFile(t, filepath.Join(s.sub("trash"), buildPrefix+"X", "home", "f"), "")
	building, err := lock(s.LockFile(buildLock), unix.LOCK_SH, unix.O_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.EmptyTrash(); err != nil {
		t.Errorf("EmptyTrash while another builds = %v", err)
	}
	if got := tree(t, s.sub("trash")); strings.Count(got, "\n") != 3 || !strings.Contains(got, buildPrefix+"X/home/f") {
		t.Errorf("while another builds, trash holds\n%s", got)
	}
	building.Release()
	if err := s.EmptyTrash(); err != nil {
		t.Errorf("EmptyTrash = %v", err)
	}
	if got := tree(t, s.sub("trash")); strings.Contains(got, "\n") {
		t.Errorf("trash holds\n%s", got)
	}
	if after := tree(t, outside); after != before {
		t.Errorf("outside changed from\n%s\nto\n%s", before, after)
	}
}

// An add that was cut off goes if it has no login, and is complete if it has one.
func TestSettle(t *testing.T) {
	for _, login := range []bool{false, true} {
		s := testStore(t)
		n := s.testNew("work")
		n.Unfinished = true
		a, err := s.Create(n)
		if err != nil {
			t.Fatal(err)
		}
		if login {
			putFile(t, a.AuthFile(), "{}")
		}
		root, err := ReadRoot(s.Root)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.settle(a, root); err != nil {
			t.Fatal(err)
		}
		got, err := s.Account("work")
		if !login && !errors.Is(err, ErrNoAccount) || login && (err != nil || got.Meta.Unfinished) {
			t.Errorf("with a login %t: %+v, %v", login, got.Meta, err)
		}
	}
}
