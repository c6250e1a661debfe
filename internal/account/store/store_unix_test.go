//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/account"
	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

// testTime is a time that survives being written.
var testTime = time.Date(2026, 7, 1, 10, 0, 0, 0, time.UTC)

// testStore returns a store in a home of its own, which has a codex home.
func testStore(t *testing.T) Store {
	t.Helper()
	return Store{account.Layout{Places: testhome.Places(t)}}
}

func (s Store) testNew(label string) New {
	return New{Label: label, State: account.StateShared, SharedHome: filepath.Join(s.Home, ".codex"), Now: testTime}
}

func testAccountOf(t *testing.T, s Store, label string) account.Account {
	t.Helper()
	a, err := s.Create(s.testNew(label))
	if err != nil {
		t.Fatalf("Create(%q) failed: %v", label, err)
	}
	return a
}

// What is refused leaves no trace, not even a root.
func TestCreateRefuses(t *testing.T) {
	var label *config.LabelError
	s := testStore(t)
	if _, err := s.Create(s.testNew("../x")); !errors.As(err, &label) {
		t.Errorf("Create(../x) = %v, want a label error", err)
	}
	for name, change := range map[string]func(*Store, *New){
		"root below shared home": func(s *Store, n *New) { s.Root = filepath.Join(n.SharedHome, "swop") },
		"shared home below root": func(s *Store, n *New) { n.SharedHome = filepath.Join(s.Root, "accounts") },
		"shared home is a file":  func(s *Store, n *New) { n.SharedHome = testhome.PutFile(t, filepath.Join(s.Home, "codex"), "") },
		"shared home nowhere":    func(s *Store, n *New) { n.SharedHome = filepath.Join(s.Home, "none", "codex") },
		"root below a file": func(s *Store, _ *New) {
			s.Root = filepath.Join(testhome.PutFile(t, filepath.Join(s.Home, "f"), ""), "swop")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := testStore(t)
			n := s.testNew("work")
			base := filepath.Dir(s.Home)
			change(&s, &n)
			before := testhome.Tree(t, base)
			if a, err := s.Create(n); err == nil {
				t.Errorf("Create = %+v, want an error", a)
			}
			testhome.WantTree(t, base, before)
		})
	}
}

func wantAccounts(t *testing.T, s Store, want ...string) {
	t.Helper()
	list, err := s.Accounts()
	var keys []string
	for _, a := range list {
		keys = append(keys, a.Key)
	}
	if !slices.Equal(keys, want) || err != nil {
		t.Errorf("Accounts = %q, %v, want %q", keys, err, want)
	}
}

func TestAccountRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(s Store, a account.Account) error
		want   string
	}{
		{"open to the group", func(_ Store, a account.Account) error { return os.Chmod(a.Dir, 0o750) }, "is open to other users (mode 0750)"},
		{"sandbox is a link", func(s Store, a account.Account) error {
			return errors.Join(os.Rename(a.Dir, filepath.Join(s.Home, "moved")), os.Symlink(filepath.Join(s.Home, "moved"), a.Dir))
		}, "is a link"},
		{"home is a link", func(s Store, a account.Account) error {
			return errors.Join(os.Rename(a.Home(), filepath.Join(s.Home, "moved")), os.Symlink(filepath.Join(s.Home, "moved"), a.Home()))
		}, "is a link"},
		{"codex home is a FIFO", func(_ Store, a account.Account) error {
			return errors.Join(os.RemoveAll(a.CodexHome()), unix.Mkfifo(a.CodexHome(), 0o600))
		}, "is not a directory"},
		{"home is missing", func(_ Store, a account.Account) error { return os.RemoveAll(a.Home()) }, "is missing from the sandbox"},
		{"meta.json is missing", func(_ Store, a account.Account) error { return os.Remove(filepath.Join(a.Dir, "meta.json")) }, "meta.json"},
		{"meta.json is a link", func(s Store, a account.Account) error {
			return errors.Join(os.Rename(filepath.Join(a.Dir, "meta.json"), filepath.Join(s.Home, "m")),
				os.Symlink(filepath.Join(s.Home, "m"), filepath.Join(a.Dir, "meta.json")))
		}, "meta.json: is a link"},
		{"meta.json is a FIFO", func(_ Store, a account.Account) error {
			return errors.Join(os.Remove(filepath.Join(a.Dir, "meta.json")), unix.Mkfifo(filepath.Join(a.Dir, "meta.json"), 0o600))
		}, "meta.json"},
		{"meta.json is huge", func(_ Store, a account.Account) error {
			return os.Truncate(filepath.Join(a.Dir, "meta.json"), account.MaxJSON+1)
		}, "meta.json: larger than"},
		{"meta.json of another", func(_ Store, a account.Account) error {
			text, err := os.ReadFile(filepath.Join(a.Dir, "meta.json"))
			return errors.Join(err, os.WriteFile(filepath.Join(a.Dir, "meta.json"), []byte(strings.ReplaceAll(string(text), `"work"`, `"home"`)), 0o600))
		}, `is the account "home", not "work"`},
		{"of a stranger", func(_ Store, a account.Account) error {
			if os.Geteuid() != 0 { // an ordinary user cannot give a directory away
				return os.Chmod(a.Dir, 0o705)
			}
			return os.Lchown(a.Dir, 54321, 54321)
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := testStore(t)
			a := testAccountOf(t, s, "work")
			testhome.NoError(t, tt.change(s, a))
			before := testhome.Tree(t, s.Home)
			got, err := s.Account("work")
			if err == nil || errors.Is(err, account.ErrNoAccount) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Account = %+v, %v, want an error with %q", got, err, tt.want)
			}
			if list, err := s.Accounts(); len(list) != 0 || err == nil {
				t.Errorf("Accounts = %+v, %v, want an error", list, err)
			}
			if _, err := s.Create(s.testNew("work")); err == nil || errors.Is(err, account.ErrExists) {
				t.Errorf("Create = %v, want the refusal", err)
			}
			testhome.WantTree(t, s.Home, before)
		})
	}
}

func TestIsSlip(t *testing.T) {
	for _, tt := range []struct {
		asked, there string
		want         bool
	}{
		{"home", "work", false},
		{"wrk", "work", true},
		{"woork", "work", true},
		{"wirk", "work", true},
		{"wrok", "work", true},
		{"owkr", "work", false}, // two
		{"work", "work", false}, // no slip
		{"agent-1", "agent-2", false},
		{"agent-1", "agent-11", false},
		{"agent1", "agent-1", true},
		{"a", "b", true},
		{"work2", "work", false},
	} {
		if got := IsSlip(tt.asked, tt.there); got != tt.want {
			t.Errorf("IsSlip(%q, %q) = %t, want %t", tt.asked, tt.there, got, tt.want)
		}
	}
}

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
