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
