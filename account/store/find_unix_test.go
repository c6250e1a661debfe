//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/account"
	"swop/disk"
	"swop/internal/testhome"
	"swop/say"
)

func TestOpen(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(s Store) error
		want   string
		hint   string
	}{
		{"as made", func(Store) error { return nil }, "", ""},
		{"no root", func(s Store) error { return os.RemoveAll(s.Root) }, "", ""},
		{"root for the group", func(s Store) error { return os.Chmod(s.Root, 0o770) }, "is open to other users (mode 0770)", "chmod 700 "},
		{"root for the world to read", func(s Store) error { return os.Chmod(s.Root, 0o755) }, "is open to other users (mode 0755)", "chmod 700 "},
		{"accounts for the world", func(s Store) error { return os.Chmod(s.AccountsDir(), 0o711) }, "accounts: is open to other users (mode 0711)", "chmod 700 "},
		{"root is a link", func(s Store) error {
			return errors.Join(os.Rename(s.Root, s.Root+"-moved"), os.Symlink(s.Root+"-moved", s.Root))
		}, "is a link", ""},
		{"root is a dangling link", func(s Store) error {
			return errors.Join(os.RemoveAll(s.Root), os.Symlink("gone", s.Root))
		}, "is a link", ""},
		{"accounts is a link", func(s Store) error {
			return errors.Join(os.Rename(s.AccountsDir(), s.AccountsDir()+"-moved"), os.Symlink(s.AccountsDir()+"-moved", s.AccountsDir()))
		}, "accounts: is a link", ""},
		{"root is a file", func(s Store) error {
			return errors.Join(os.RemoveAll(s.Root), os.WriteFile(s.Root, nil, 0o600))
		}, "is not a directory", ""},
		{"accounts is a file", func(s Store) error {
			return errors.Join(os.RemoveAll(s.AccountsDir()), os.WriteFile(s.AccountsDir(), nil, 0o600))
		}, "accounts: is not a directory", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := testStore(t)
			testAccountOf(t, s, "work")
			if err := tt.change(s); err != nil {
				t.Fatal(err)
			}
			_, err := Open(s.Places)
			if tt.want == "" {
				if err != nil {
					t.Errorf("Open failed: %v", err)
				}
				return
			}
			if !errors.Is(err, disk.ErrUnsafe) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Open = %v, want a refusal with %q", err, tt.want)
			}
			if hints := strings.Join(say.Hints(err), "\n"); !strings.HasPrefix(hints, tt.hint) {
				t.Errorf("hints %q, want %q", hints, tt.hint)
			}
		})
	}
}

// Root's own and the home owner's directories are trusted where root acts for him; a stranger's never.
func TestOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		return // only root can give a directory away; the suite runs as both
	}
	s := testStore(t)
	testAccountOf(t, s, "work")
	if err := os.Lchown(s.Root, 54321, 54321); err != nil {
		t.Fatal(err)
	}
	for owner, ok := range map[int]bool{0: false, 54321: true, 54322: false} {
		s.Owner = owner
		if _, err := Open(s.Places); (err == nil) != ok || !ok && !strings.Contains(err.Error(), "belongs to uid 54321, you are uid 0") {
			t.Errorf("owner %d: Open = %v, want trust %t", owner, err, ok)
		}
	}
}

func TestFind(t *testing.T) {
	s := testStore(t)
	testAccountOf(t, s, "Work Team")
	for _, tt := range []struct{ label, want, hint string }{
		{"Work Team", "", ""},
		{"work_team", "", ""},
		{"work-taem", `no account "work-taem"`, `did you mean "Work Team"? list all with: codex swop list`},
		{"Home", `no account "Home"`, "codex swop add Home"},
		{"My Home", `no account "My Home"`, "codex swop add 'My Home'"},
	} {
		for name, find := range map[string]func(string) (account.Account, error){"Find": s.Find, "FindRemnant": s.FindRemnant} {
			a, err := find(tt.label)
			if tt.want == "" {
				if a.Key != "work-team" || err != nil {
					t.Errorf("%s(%q) = %+v, %v", name, tt.label, a, err)
				}
				continue
			}
			hint := tt.hint
			if name == "FindRemnant" && strings.HasPrefix(hint, "codex swop add") {
				hint = "codex swop list" // what is to be removed is not made
			}
			if hints := strings.Join(say.Hints(err), "\n"); !errors.Is(err, account.ErrNoAccount) || err.Error() != tt.want || hints != hint {
				t.Errorf("%s(%q) = %v, hint %q, want %q, hint %q", name, tt.label, err, hints, tt.want, hint)
			}
		}
	}
	if _, err := s.Find("../work-team"); err == nil || errors.Is(err, account.ErrNoAccount) {
		t.Errorf("Find(../work-team) = %v, want a label error", err)
	}
}

// One broken sandbox is said, and does not hide the others.
func TestAccountsBesideBroken(t *testing.T) {
	s := testStore(t)
	for _, label := range []string{"c", "b", "a"} {
		testAccountOf(t, s, label)
	}
	testhome.PutFile(t, filepath.Join(s.AccountsDir(), "stray file"), "x")
	if err := os.Chmod(filepath.Join(s.AccountsDir(), "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	list, err := s.Accounts()
	if len(list) != 2 || list[0].Key != "a" || list[1].Key != "c" {
		t.Errorf("Accounts = %+v", list)
	}
	if err == nil || !strings.Contains(err.Error(), "stray file") || !strings.Contains(err.Error(), "mode 0755") {
		t.Errorf("Accounts failed with %v, want both defects", err)
	}
}

func TestTouch(t *testing.T) {
	s := testStore(t)
	for _, tt := range []struct {
		name  string
		last  time.Time
		wrote bool
	}{
		{"never", time.Time{}, true},
		{"just now", testTime, false},
		{"59 seconds", testTime.Add(-59 * time.Second), false},
		{"a minute", testTime.Add(-time.Minute), true},
		{"in the future", testTime.Add(time.Second), true},
		{"long ago", time.Unix(0, 0), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := s.Create(s.testNew("work"))
			if err != nil && !errors.Is(err, account.ErrExists) {
				t.Fatal(err)
			}
			a.Meta.LastUsedAt = account.At(tt.last)
			if err := s.WriteMeta(a); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Stat(s.MetaFile(a.Dir))
			if err := s.Touch(a, testTime); err != nil {
				t.Fatal(err)
			}
			after, _ := os.Stat(s.MetaFile(a.Dir))
			if wrote := !os.SameFile(before, after); wrote != tt.wrote {
				t.Errorf("written %t, want %t", wrote, tt.wrote)
			}
			if got, err := s.Account("work"); err != nil || tt.wrote && got.Meta.LastUsedAt != account.At(testTime) {
				t.Errorf("Account = %+v, %v", got.Meta, err)
			}
		})
	}
}
