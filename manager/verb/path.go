//go:build unix

package verb

import (
	"os"
	"path/filepath"
)

// Directory returns the directory that args name, else the working directory, absolute with links resolved. One that no longer exists is
// made absolute only, so that it can still be unbound.
func Directory(args []string) (string, error) {
	dir := "."
	if len(args) > 0 {
		dir = args[0]
	}
	if dir == "" {
		return "", Usagef("the directory is empty")
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	return filepath.Abs(dir)
}

// IsThere reports whether the path names anything, if only a link to nothing.
func IsThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
