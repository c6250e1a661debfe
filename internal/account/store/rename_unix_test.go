//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

func TestRenameRefuses(t *testing.T) {
	s := testStore(t)
	a := testAccountOf(t, s, "work")
	testAccountOf(t, s, "Taken")
	testhome.PutFile(t, filepath.Join(s.AccountsDir(), "file"), "")
	testhome.NoError(t, os.Mkdir(filepath.Join(s.AccountsDir(), "open"), 0o755))
	testfile.Symlink(t, "taken", filepath.Join(s.AccountsDir(), "link"))
	before := testhome.Tree(t, s.Root)
	for label, is := range map[string]error{
		"taken": account.ErrExists, "TAKEN": account.ErrExists, "../x": nil, "": nil, "team.a": nil,
		"file": disk.ErrUnsafe, "open": disk.ErrUnsafe, "link": disk.ErrUnsafe,
	} {
		if got, err := s.Rename(a, label); err == nil || is != nil && !errors.Is(err, is) || got.Key != "work" {
			t.Errorf("Rename(%q) = %+v, %v, want %v", label, got, err, is)
		}
	}
	testhome.WantTree(t, s.Root, before)
}

// Cut off at whatever point, the account has one of its two labels, and what is done with it next settles that.
func TestRenameCutOff(t *testing.T) {
	for _, tt := range []struct {
		name       string
		moved      bool
		label, key string
	}{
		{"before the move", false, "Old", "old"},
		{"after the move", true, "New One", "new-one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := testStore(t)
			a := testAccountOf(t, s, "Old")
			marked := a
			marked.Meta.Label, marked.Meta.Key, marked.Meta.MovedFrom = "New One", "new-one", "Old"
			testhome.NoError(t, s.WriteMeta(&marked))
			if tt.moved {
				testhome.NoError(t, os.Rename(a.Dir, s.AccountDir("new-one")))
			}
			wantAccounts(t, s, tt.key)
			got, err := s.Find(tt.label)
			if err != nil || got.Meta.Label != tt.label || got.Meta.Key != tt.key || (got.Meta.MovedFrom != "") != tt.moved {
				t.Fatalf("Find(%q) = %+v, %v", tt.label, got, err)
			}
			for _, other := range []string{"Old", "New One"} {
				if _, err := s.Find(other); other != tt.label && !errors.Is(err, account.ErrNoAccount) {
					t.Errorf("Find(%q) = %v, want none", other, err)
				}
			}
			if done, err := s.Rename(got, "Third"); err != nil || done.Key != "third" {
				t.Errorf("Rename = %+v, %v", done, err)
			}
			wantAccounts(t, s, "third")
		})
	}
}
