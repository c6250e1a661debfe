//go:build unix

package mirror

import (
	"errors"
	"testing"
	"time"

	"swop/account"
	"swop/account/store"
	"swop/internal/testhome"
)

// An account whose add was interrupted is removed if it has no login, and completed if it has one.
func TestFinishAdd(t *testing.T) {
	for _, login := range []bool{false, true} {
		s := testStore(t)
		a, err := s.Create(store.New{Label: "work", State: account.StateShared, SharedHome: s.Home + "/.codex", Unfinished: true, Now: time.Unix(1, 0)})
		if err != nil {
			t.Fatal(err)
		}
		if login {
			testhome.PutFile(t, a.AuthFile(), "{}")
		}
		root, err := store.ReadRoot(s.Root)
		if err != nil {
			t.Fatal(err)
		}
		if err := finishAdd(s, a, root); err != nil {
			t.Fatal(err)
		}
		got, err := s.Account("work")
		if !login && !errors.Is(err, account.ErrNoAccount) || login && (err != nil || got.Meta.Unfinished) {
			t.Errorf("with a login %t: %+v, %v", login, got.Meta, err)
		}
	}
}
