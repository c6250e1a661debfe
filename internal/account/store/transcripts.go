package store

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

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
