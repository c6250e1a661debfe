//go:build unix

package manager

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"swop/config"
)

// abandoned is the age from which on a file that is still to be renamed has no writer any more: writing one takes milliseconds.
const abandoned = time.Hour

// ClearTemps removes what was written beside one of swop's files by runs that were killed before they renamed it. It holds no secret and
// is never read; it only takes room.
func (s Store) ClearTemps(now time.Time) error {
	before := now.Add(-abandoned)
	failed := []error{
		config.ClearTemps(filepath.Join(s.Config, config.SelectorFile), before),
		config.ClearTemps(filepath.Join(s.Root, "root.json"), before),
	}
	accounts, _ := s.Accounts() // one that cannot be read is said by the verb that needs it
	for _, a := range accounts {
		failed = append(failed, config.ClearTemps(s.metaOf(a.Dir), before), config.ClearTemps(keptFile(a), before), clearStamps(a, before))
	}
	return errors.Join(failed...)
}

func clearStamps(a Account, before time.Time) error {
	entries, err := os.ReadDir(a.Dir)
	failed := []error{err}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && strings.HasPrefix(entry.Name(), ".stamp.") && info.ModTime().Before(before) {
			failed = append(failed, removeIfThere(filepath.Join(a.Dir, entry.Name())))
		}
	}
	return errors.Join(failed...)
}
