package install

import (
	"io/fs"
	"os"
	"path/filepath"

	"swop/internal/disk"
)

const codexPackage = "@openai/codex"

// removeCodex removes the directory npm in the prefix, where install.sh --with-codex let npm install a codex.
func (s *session) removeCodex() error {
	root, err := os.OpenRoot(s.prefix)
	if err != nil {
		return disk.Ignore(err, fs.ErrNotExist)
	}
	defer root.Close()
	if _, err := root.Lstat("npm/bin/codex"); err != nil {
		return disk.Ignore(err, fs.ErrNotExist)
	}
	err = root.RemoveAll("npm")
	if err == nil {
		s.report.did(filepath.Join(s.prefix, "npm"), Removed)
		s.removedCodex = true
	}
	return err
}
