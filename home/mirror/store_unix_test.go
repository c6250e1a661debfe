//go:build unix

package mirror

import (
	"slices"
	"testing"
	"time"

	"swop/account"
	"swop/account/store"
	"swop/internal/testhome"
)

// testStore returns a store in a home of its own, which has a codex home.
func testStore(t *testing.T) store.Store {
	t.Helper()
	return store.Store{Layout: account.Layout{Places: testhome.Places(t)}}
}

func testAccountOf(t *testing.T, s store.Store, label string) account.Account {
	t.Helper()
	a, err := s.Create(store.New{Label: label, State: account.StateShared, SharedHome: s.Home + "/.codex", Now: time.Unix(1, 0)})
	if err != nil {
		t.Fatalf("Create(%q) failed: %v", label, err)
	}
	return a
}

func wantAccounts(t *testing.T, s store.Store, want ...string) {
	t.Helper()
	keys, err := s.Keys("")
	if !slices.Equal(keys, want) || err != nil {
		t.Errorf("Keys = %q, %v, want %q", keys, err, want)
	}
}

func mustLock(t *testing.T, take func() (account.Lock, error)) account.Lock {
	t.Helper()
	l, err := take()
	testhome.NoError(t, err)
	t.Cleanup(l.Release)
	return l
}
