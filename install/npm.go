package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"swop/internal/disk"
)

const codexPackage = "@openai/codex"

// removeCodex removes what install.sh --with-codex let npm put below the prefix, and the directories that this leaves empty.
func (s *session) removeCodex() error {
	npm := filepath.Join(s.prefix, "npm")
	root, err := os.OpenRoot(npm)
	if err != nil {
		return disk.Ignore(err, fs.ErrNotExist)
	}
	defer root.Close()
	if _, err := root.Lstat("bin/codex"); err == nil {
		s.report.did(filepath.Join(npm, "bin", "codex"), Removed)
		s.removedCodex = true
	}
	scope := filepath.Join("lib", "node_modules", "@openai")
	err = errors.Join(root.RemoveAll(filepath.Join(scope, "codex")), root.RemoveAll("bin/codex"))
	for _, dir := range []string{scope, "lib/node_modules", "lib", "bin", "."} {
		disk.RemoveEmpty(filepath.Join(npm, dir))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", npm, err) // the error names what is in it
	}
	return err
}
