//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"swop/config"
	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/stamp"
)

// abandoned is the age from which on a file that is still to be renamed has no writer any more: writing one takes milliseconds.
const abandoned = time.Hour

// ClearTemps removes what was written beside one of swop's files by runs that were killed before they renamed it. It holds no secret and
// is never read; it only takes room.
func (s Store) ClearTemps(now time.Time) error {
	before := now.Add(-abandoned)
	failed := []error{
		disk.ClearTemps(filepath.Join(s.Config, config.SelectorFile), before),
		disk.ClearTemps(s.Path(account.RootFile), before),
	}
	keys, _ := s.Keys("") // what cannot be read is said by the verb that needs it
	for _, key := range keys {
		if !hasHidden(s.AccountDir(key)) {
			continue // as with nearly all of them: there may be a thousand
		}
		if a, err := s.Account(key); err == nil {
			failed = append(failed, disk.ClearTemps(s.MetaFile(a.Dir), before), disk.ClearTemps(stamp.PinnedFile(a), before), clearStamps(a, before))
		}
	}
	return errors.Join(failed...)
}

// hasHidden reports whether the directory has an entry whose name begins with a dot, as those of all that is written aside do.
func hasHidden(dir string) bool {
	d, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, ".") })
}

func clearStamps(a account.Account, before time.Time) error {
	entries, err := os.ReadDir(a.Dir)
	failed := []error{err}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && strings.HasPrefix(entry.Name(), ".stamp.") && info.ModTime().Before(before) {
			failed = append(failed, disk.RemoveIfExists(filepath.Join(a.Dir, entry.Name())))
		}
	}
	return errors.Join(failed...)
}
