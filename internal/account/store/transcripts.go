package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/rules"
)

// Transcripts returns the names of what only this account has, by [rules.Rule.Transcript]: none for an account that shares its state.
func (s Store) Transcripts(a account.Account) (names []string, err error) {
	if a.Meta.State != account.StatePrivate {
		return nil, nil
	}
	d, err := disk.OpenBelow(a.Dir, a.CodexHome())
	if errors.Is(err, sys.ENOENT) || errors.Is(err, sys.ENOTDIR) || errors.Is(err, sys.ELOOP) {
		return nil, nil // a link in its place leads to what is not the account's own
	}
	if err != nil {
		return nil, err
	}
	entries, err := d.Entries()
	if err := errors.Join(err, d.Close()); err != nil {
		return nil, err
	}
	table := rules.CodexHomeRules(nil, account.StateShared)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		row, _ := table.Row(name)
		if !row.Transcript || entries[name]&os.ModeSymlink != 0 {
			continue
		}
		holds, err := holdsFile(filepath.Join(a.CodexHome(), name))
		if err != nil {
			return nil, err
		}
		if holds {
			names = append(names, name)
		}
	}
	return names, nil
}

// holdsFile reports whether a file is at or below path.
func holdsFile(path string) (found bool, err error) {
	err = filepath.WalkDir(path, func(_ string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		found = true
		return fs.SkipAll
	})
	return found, err
}

// KeepTranscripts moves the transcripts of a private account that have these names to dir, which is made with access for its owner only, or
// is empty. Interrupted, it goes on when it is called again with the same directory.
func (s Store) KeepTranscripts(a account.Account, names []string, dir string) error {
	if err := s.CheckKeep(names, dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	to, err := disk.Open(dir, disk.NoFollow)
	if err != nil {
		return err
	}
	defer to.Close()
	from, err := disk.OpenBelow(a.Dir, a.CodexHome())
	if err != nil {
		return err
	}
	defer from.Close()
	left, err := to.Entries()
	if err != nil {
		return err
	}
	for name := range left {
		if disk.IsCopy(name) { // a killed run did not finish it
			if err := disk.RemoveAll(to, name); err != nil {
				return err
			}
		}
	}
	for _, name := range names {
		if err := moveTranscript(from, name, to); err != nil {
			return err
		}
	}
	return to.Sync()
}

// CheckKeep returns an error for a directory that cannot hold the transcripts: one below swop's root, which may be removed with an account,
// or one with entries of their names.
func (s Store) CheckKeep(names []string, dir string) error {
	if config.Within(disk.Resolve(dir), disk.Resolve(s.Root)) {
		return disk.Unsafe("%s: is inside swop's root", dir)
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: is not a directory", dir)
	}
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return disk.Unsafe("%s: already exists", filepath.Join(dir, name))
		}
	}
	return nil
}

func moveTranscript(from disk.Dir, name string, to disk.Dir) error {
	err := from.Move(name, to, name)
	switch {
	case errors.Is(err, sys.EXDEV):
		return moveByCopy(from, name, to)
	case errors.Is(err, sys.EEXIST):
		return disk.Unsafe("%s: already exists", filepath.Join(to.Path, name))
	}
	return to.Err("rename", name, err)
}

// moveByCopy moves a transcript to another file system, by the system's own program: it is there complete, and synced, or not at all.
func moveByCopy(from disk.Dir, name string, to disk.Dir) error {
	tmp := disk.CopyName()
	err := exec.Command("cp", "-pR", filepath.Join(from.Path, name), filepath.Join(to.Path, tmp)).Run()
	if err == nil {
		err = exec.Command("sync").Run()
	}
	if err == nil {
		err = to.Move(tmp, to, name)
	}
	if err != nil {
		return disk.Undone(fmt.Errorf("cannot copy %s to %s: %w", filepath.Join(from.Path, name), to.Path, err), disk.RemoveAll(to, tmp))
	}
	return disk.RemoveAll(from, name)
}
