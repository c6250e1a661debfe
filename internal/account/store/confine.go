package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"swop/internal/account"
	"swop/internal/disk"
)

// NewHome is, below an account's directory, its new home while that is replaced, or from the exchange on the former one.
const NewHome = "home-new"

// FormerHomes is the directory in swop's root of the homes that accounts had before such a change. Nothing removes what is in it.
const FormerHomes = "former"

// SetConfinement gives an account, whose lock the caller holds exclusively, another policy of confinement, "" for none. An account that
// becomes confined, or is no longer, gets a fresh home, and only the login moves; it says where the old home is then. Killed anywhere, it
// can be called again, or [FinishConfinement], as the next command does for the account's mark.
func SetConfinement(s Store, a account.Account, policy string, say func(string)) error {
	changes := (a.Meta.Confine == "") != (policy == "")
	err := FinishConfinement(s, a, say)
	if fresh := filepath.Join(a.Dir, NewHome); err == nil && changes {
		err = errors.Join(s.MarkPending(a.Key), s.MakeDir(fresh, filepath.Join(fresh, ".codex")))
	}
	if err == nil && changes {
		err = swapHomes(a)
	}
	if err != nil {
		return err
	}
	was := a
	switch {
	case policy == "":
		a.Meta.State, a.Meta.Unconfined = cmp.Or(a.Meta.Unconfined, account.StateShared), ""
	case a.Meta.Confine == "":
		a.Meta.State, a.Meta.Unconfined = account.StatePrivate, a.Meta.State
	}
	a.Meta.Confine = policy
	// Killed between the two, it leaves no pool that stays with a confined account.
	err = errors.Join(s.forget(a.Key, ""), s.WriteMeta(&a)) // pools pass over confined accounts
	if err != nil {
		err = errors.Join(err, s.WriteMeta(&was)) // its directory could not be synced: it may be replaced
	}
	if err != nil && changes {
		return errors.Join(err, swapHomes(a), os.Remove(filepath.Join(a.Dir, NewHome, ".codex")), os.Remove(filepath.Join(a.Dir, NewHome)))
	}
	return errors.Join(err, FinishConfinement(s, a, say))
}

// swapHomes exchanges the account's home with the new one.
func swapHomes(a account.Account) error {
	d, err := disk.Open(a.Dir, disk.NoFollow)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Exchange("home", d, NewHome)
}

// moveAuth moves the login from the former home, through no link that a session made; or, in the place of its stand-in, from beside it.
func moveAuth(a account.Account) error {
	top, err := a.OpenToMove()
	if err != nil {
		return err
	}
	defer top.Close()
	// what a session has locked can be neither emptied nor moved
	_, _ = top.Chmod(NewHome, 0o700), top.Chmod(NewHome+"/.codex", 0o700)
	beside, err := disk.Lstat(a.BesideHome())
	if err != nil || !disk.MayExist(filepath.Join(a.Dir, NewHome)) { // another start has finished it
		return err
	}
	if !beside.Exists() { // else its stand-in, or what a session put there, stays
		return top.MoveAuth(filepath.Join(a.Dir, NewHome, ".codex"), a.CodexHome())
	}
	if err := top.MoveAuth(a.BesideHome(), a.CodexHome()); err != nil {
		return err
	}
	return top.RemoveAll("login") // with what codex left there when it was asked
}

// FinishConfinement ends a change, also of a killed run: the login moves to the account's present home, and the former one to FormerHomes.
// It says so, unless there was no change.
func FinishConfinement(s Store, a account.Account, say func(string)) error {
	left := filepath.Join(a.Dir, NewHome)
	if there, err := disk.Lstat(left); err != nil || !there.Exists() {
		return err
	}
	err := moveAuth(a)
	if err == nil {
		err = s.MakeDir(s.Path(FormerHomes))
	}
	if err != nil {
		return err
	}
	former := filepath.Join(s.Path(FormerHomes), a.Key+"-"+disk.RandomName())
	if err = os.Rename(left, former); err != nil {
		return disk.Ignore(err, fs.ErrNotExist) // likewise
	}
	const text = "the login of account %q moved to a fresh home; its sessions, history and all else stay in %s"
	say(fmt.Sprintf(text, a.Meta.Label, former))
	return errors.Join(disk.SyncDir(s.Path(FormerHomes)), disk.SyncDir(a.Dir))
}
