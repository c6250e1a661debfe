package account

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"swop/internal/disk"
)

// MarkPending notes that the account is about to run: the next start of any account repairs its links, so that new entries need not wait
// for a start of this one. The mark is not synced: if it is lost, they wait.
func (s Layout) MarkPending(key string) error {
	file := filepath.Join(s.Path("pending"), key)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return disk.Ignore(err, fs.ErrExist)
	}
	return errors.Join(f.Chmod(0o600), f.Close()) // whatever the umask
}

// Pending returns the keys of the accounts that are marked.
func (s Layout) Pending() (keys []string, err error) {
	entries, err := os.ReadDir(s.Path("pending"))
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") {
			keys = append(keys, entry.Name())
		}
	}
	return keys, err
}

// Unmark removes the mark of the account with this key; a missing one is no error.
func (s Layout) Unmark(key string) error {
	return disk.RemoveIfExists(filepath.Join(s.Path("pending"), key))
}
