//go:build unix

package store

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// Keys returns the keys of the accounts that begin with prefix, in their order, without reading what they are: for completion, which
// is asked at every press of a key. One that cannot be used is among them.
func (s Store) Keys(prefix string) ([]string, error) {
	entries, err := os.ReadDir(s.AccountsDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var keys []string
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), prefix) {
			continue
		}
		if _, err := os.Lstat(s.MetaFile(s.AccountDir(entry.Name()))); err == nil { // a removed account leaves a directory without one
			keys = append(keys, entry.Name())
		}
	}
	return keys, err
}
