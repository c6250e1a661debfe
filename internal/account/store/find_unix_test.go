//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/account"
	"swop/internal/say"
	"swop/internal/test/testhome"
)

// Root's own and the home owner's directories are trusted where root acts for that owner; a stranger's never.
func TestOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		return // only root can give a directory away; the suite runs as both
	}
	s := testStore(t)
	testAccountOf(t, s, "work")
	testhome.NoError(t, os.Lchown(s.Root, 54321, 54321))
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
	testhome.NoError(t, os.Chmod(filepath.Join(s.AccountsDir(), "b"), 0o755))
	list, err := s.Accounts()
	if len(list) != 2 || list[0].Key != "a" || list[1].Key != "c" {
		t.Errorf("Accounts = %+v", list)
	}
	if err == nil || !strings.Contains(err.Error(), "stray file") || !strings.Contains(err.Error(), "mode 0755") {
		t.Errorf("Accounts failed with %v, want both defects", err)
	}
}
