//go:build unix

package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"swop/manager/account"
	"swop/manager/disk"
)

// Codex writes the path of a transcript into its state database as it knows it, through the sandbox, and since 0.155 does not find the
// transcript again when that path is gone. So where an account was removed or renamed, a tombstone stays: the two directories of
// transcripts as links to the shared ones, and nothing else. It is no account, and is removed when an account of its name is made.

// tombstoneFile is the file that tells a tombstone from an account.
const tombstoneFile = "relic"

// tombstoneLinks are the entries of the codex home that transcripts are recorded in.
var tombstoneLinks = []string{"sessions", "archived_sessions"}

func (s Store) isTombstone(key string) bool {
	_, err := os.Lstat(filepath.Join(s.AccountDir(key), tombstoneFile))
	return err == nil
}

// leavesTombstone reports whether the account's end leaves a tombstone: its transcripts are shared, and there may be some.
func leavesTombstone(a account.Account, sharedHome string) bool {
	return sharedHome != "" && a.Meta.State == account.StateShared && mayHaveEntries(filepath.Join(sharedHome, "sessions"))
}

// buildTombstone makes a tombstone in trash/ and returns where it is. The caller holds buildLock shared.
func (s Store) buildTombstone(sharedHome string) (string, error) {
	built := account.Account{Dir: filepath.Join(s.Path("trash"), buildPrefix+disk.RandomName())}
	if err := s.fillTombstone(built, sharedHome); err != nil {
		return "", errors.Join(err, s.discard(built.Dir))
	}
	return built.Dir, nil
}

func (s Store) fillTombstone(built account.Account, sharedHome string) error {
	for _, dir := range []string{built.Dir, built.Home(), built.CodexHome()} {
		if err := s.MakeDir(dir); err != nil {
			return err
		}
	}
	for _, name := range tombstoneLinks {
		if err := os.Symlink(filepath.Join(sharedHome, name), filepath.Join(built.CodexHome(), name)); err != nil {
			return err
		}
	}
	if err := errors.Join(disk.SyncDir(built.CodexHome()), disk.SyncDir(built.Home())); err != nil {
		return err
	}
	return disk.WriteFile(filepath.Join(built.Dir, tombstoneFile), nil)
}

// mayHaveEntries reports whether something is in dir, or may be: it cannot be read.
func mayHaveEntries(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	_, err = f.Readdirnames(1)
	return !errors.Is(err, io.EOF)
}

// clearTombstone removes the tombstone, if there is one, from where an account is to be.
func (s Store) clearTombstone(key string) error {
	if !s.isTombstone(key) {
		return nil
	}
	gone := filepath.Join(s.Path("trash"), key+"-"+disk.RandomName())
	if err := os.Rename(s.AccountDir(key), gone); err != nil {
		return disk.Ignore(err, fs.ErrNotExist)
	}
	return s.discard(gone)
}

// ClearTombstones removes the tombstones of all accounts.
func (s Store) ClearTombstones() error {
	entries, err := os.ReadDir(s.AccountsDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	defects := []error{err}
	for _, entry := range entries {
		defects = append(defects, s.clearTombstone(entry.Name()))
	}
	return errors.Join(defects...)
}
