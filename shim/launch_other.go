//go:build unix && !linux

package shim

import (
	"path/filepath"
)

// realPath returns the path of the file at path without links.
func realPath(_ int, path string) (string, error) { return filepath.EvalSymlinks(path) }
