//go:build unix

package verb

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
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

func IsThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// OnPath returns the file that execvp(3) would run for the command with this PATH.
func OnPath(command, path string) (string, error) {
	if strings.ContainsRune(command, '/') {
		_, err := os.Stat(command)
		return command, err
	}
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, command)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && unix.Access(file, unix.X_OK) == nil {
			return file, nil
		}
	}
	return "", &fs.PathError{Op: "run", Path: command, Err: errors.New("not found on PATH")}
}
