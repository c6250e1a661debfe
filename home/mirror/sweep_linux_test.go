package mirror

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/account/store"
	"swop/internal/testhome"
)

// newReal makes a store whose accounts are made as the verbs make them.
func newReal(t *testing.T, keys ...string) *testWorld {
	w := newWorld(t, testhome.Scratch(t))
	testhome.NoError(t, w.store.MakeDirs())
	for _, key := range keys {
		a, err := w.store.Create(store.New{Label: key, State: account.StateShared, SharedHome: w.shared, Now: time.Unix(1, 0)})
		testhome.NoError(t, err)
		w.accounts[key] = a
	}
	return w
}

func (w *testWorld) sweepPending() {
	_, err := SweepPending(w.store, "", w.root, w.settings, noProcesses.options().Checks, func(string) {})
	testhome.NoError(w.t, err)
}

// TestBeginIsNotSwept: a sweep does not take an account that is just being made for one whose add was interrupted.
func TestBeginIsNotSwept(t *testing.T) {
	s := newStepper(t)
	w := newReal(t)
	var a account.Account
	var l account.Lock
	_, err := s.run(func() (err error) {
		a, l, err = w.store.Begin(store.New{Label: "a", State: account.StateShared, SharedHome: w.shared, Now: time.Unix(1, 0)})
		return err
	}, func(int, string) unix.Errno {
		w.sweepPending()
		return 0
	})
	testhome.NoError(t, err)
	w.sweepPending()
	if _, err := w.store.Account(a.Key); err != nil {
		t.Errorf("an account is swept while it is made: %v", err)
	}
	l.Release()
	w.sweepPending()
	if _, err := w.store.Account(a.Key); !errors.Is(err, account.ErrNoAccount) {
		t.Errorf("an account without a login, which nobody makes any more, stays: %v", err)
	}
}

// TestSweepLeavesAloneWhatIsTaken: while another command renames or removes an account, nothing is made in its sandbox.
func TestSweepLeavesAloneWhatIsTaken(t *testing.T) {
	w := newReal(t, "a")
	testhome.NoError(t, w.store.MarkPending("a"))
	testhome.PutText(t, filepath.Join(w.codex("a"), "notes"), "kept 1")
	l, err := w.store.LockExclusive("a")
	testhome.NoError(t, err)
	before := w.tree(w.store.AccountDir("a"))
	w.sweepPending()
	if after := w.tree(w.store.AccountDir("a")); len(after) != len(before) {
		t.Errorf("the sandbox has\n%q, had\n%q", after, before)
	}
	l.Release()
	w.sweepPending()
	if !testhome.Exists(filepath.Join(w.shared, "notes")) || testhome.Exists(filepath.Join(w.store.Path("pending"), "a")) {
		t.Error("what the account made waits on, though nobody has it")
	}
}

// TestRenameOfRenamed: of two renames at once, the one that comes second finds no account any more, and makes none of what is left.
func TestRenameOfRenamed(t *testing.T) {
	w := newReal(t, "a")
	used := w.accounts["a"]
	testhome.NoError(t, w.store.Touch(&used, 1)) // so that a link stays
	_, err := w.store.Rename(w.accounts["a"], "b", w.shared)
	testhome.NoError(t, err)
	if _, err := w.store.Rename(w.accounts["a"], "c", w.shared); !errors.Is(err, account.ErrNoAccount) {
		t.Errorf("the second rename = %v, want that there is no such account", err)
	}
	accounts, err := w.store.Accounts()
	if err != nil || len(accounts) != 1 || accounts[0].Key != "b" {
		t.Errorf("accounts: %+v, %v, want b alone", accounts, err)
	}
}
