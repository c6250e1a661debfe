package store

import (
	"io/fs"
	"os"
	"path/filepath"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/home/rules"
)

// Transcripts returns the names of what only this account has, by [rules.Rule.Transcript]: none for an account that shares its state.
func (s Store) Transcripts(a account.Account) (names []string, err error) {
	if a.Meta.State != account.StatePrivate {
		return nil, nil
	}
	entries, err := os.ReadDir(a.CodexHome())
	table := rules.CodexHomeRules(nil, account.StateShared)
	for _, entry := range entries {
		row, _ := table.Row(entry.Name())
		if err == nil && row.Transcript && holdsFile(filepath.Join(a.CodexHome(), entry.Name())) {
			names = append(names, entry.Name())
		}
	}
	return names, disk.Ignore(err, fs.ErrNotExist)
}

// holdsFile reports whether a file is at or below path; where that cannot be looked at, one may be.
func holdsFile(path string) bool {
	return filepath.WalkDir(path, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			err = fs.ErrExist
		}
		return err
	}) != nil
}
