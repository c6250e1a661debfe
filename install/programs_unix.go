//go:build unix

package install

import (
	"io/fs"
	"os"
)

// dataDirs lead from the home to where swop is installed.
var dataDirs = []string{".local", "share", "swop"}

// locksDirectories says whether an open directory can be locked.
const locksDirectories = true

func executable(info fs.FileInfo) bool { return info.Mode().Perm() == 0o755 }

// replaceProgram renames over what is there, which may run.
func replaceProgram(from, to string) error { return os.Rename(from, to) }
