//go:build unix

package manager

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"swop/config"
)

// Codex writes the path of a transcript into its state database as it knows it, through the sandbox, and since 0.155 does not find the
// transcript again when that path is gone. So where an account was removed or renamed, a relic stays: the two directories of
// transcripts as links to the shared ones, and nothing else. It is no account, and makes room for one of its name.

// relicMark is the file that tells a relic from an account.
const relicMark = "relic"

// relicLinks are the entries of the codex home that transcripts are recorded in.
var relicLinks = []string{"sessions", "archived_sessions"}

func (s Store) isRelic(key string) bool {
	_, err := os.Lstat(filepath.Join(s.dir(key), relicMark))
	return err == nil
}

// leavesRelic reports whether the account's end leaves a relic: its transcripts are shared and there may be any.
func leavesRelic(a Account, sharedHome string) bool {
	return sharedHome != "" && a.Meta.State == StateShared && mayHaveEntries(filepath.Join(sharedHome, "sessions"))
}

// buildRelic makes a relic in trash/ and returns where it is. The caller holds buildLock shared.
func (s Store) buildRelic(sharedHome string) (string, error) {
	built := Account{Dir: filepath.Join(s.sub("trash"), buildPrefix+randomName())}
	if err := s.fillRelic(built, sharedHome); err != nil {
		return "", errors.Join(err, s.discard(built.Dir))
	}
	return built.Dir, nil
}

func (s Store) fillRelic(built Account, sharedHome string) error {
	for _, dir := range []string{built.Dir, built.Home(), built.CodexHome()} {
		if err := s.makeDir(dir); err != nil {
			return err
		}
	}
	for _, name := range relicLinks {
		if err := os.Symlink(filepath.Join(sharedHome, name), filepath.Join(built.CodexHome(), name)); err != nil {
			return err
		}
	}
	if err := errors.Join(config.SyncDir(built.CodexHome()), config.SyncDir(built.Home())); err != nil {
		return err
	}
	return config.WriteFile(filepath.Join(built.Dir, relicMark), nil)
}

// mayHaveEntries reports whether there is something in dir, also where that cannot be told.
func mayHaveEntries(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	_, err = f.Readdirnames(1)
	return !errors.Is(err, io.EOF)
}

// clearRelic makes room where an account is to be.
func (s Store) clearRelic(key string) error {
	if !s.isRelic(key) {
		return nil
	}
	gone := filepath.Join(s.sub("trash"), key+"-"+randomName())
	if err := os.Rename(s.dir(key), gone); err != nil {
		return ignore(err, fs.ErrNotExist)
	}
	return s.discard(gone)
}

// ClearRelics removes what accounts that are gone have left, for an end of all of them.
func (s Store) ClearRelics() error {
	entries, err := os.ReadDir(s.accounts())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	defects := []error{err}
	for _, entry := range entries {
		defects = append(defects, s.clearRelic(entry.Name()))
	}
	return errors.Join(defects...)
}
