package store

import (
	"io/fs"
	"os"
	"path/filepath"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/rules"
)

// Transcripts returns the names of the transcripts that only this account has, by [rules.Rule.Transcript]: none for shared state.
func (s Store) Transcripts(a account.Account) (names []string, err error) {
	if a.Meta.State != account.StatePrivate {
		return nil, nil
	}
	entries, err := os.ReadDir(a.CodexHome())
	table := rules.CodexHomeRules(nil, account.StateShared)
	for _, entry := range entries {
		row, _ := table.Row(entry.Name())
		if err == nil && row.Transcript && HoldsText(filepath.Join(a.CodexHome(), entry.Name())) {
			names = append(names, entry.Name())
		}
	}
	return names, disk.Ignore(err, fs.ErrNotExist, sys.ENOTDIR, sys.ELOOP) // what is no directory has none
}

// HoldsText reports whether a file with text is at or below path, or may be: in a directory that cannot be read.
func HoldsText(path string) bool {
	return filepath.WalkDir(path, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err != nil || info.Size() > 0 {
				return fs.ErrExist
			}
		}
		return err
	}) != nil
}
