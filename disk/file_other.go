//go:build !unix

package disk

import "os"

// IsDir reports whether dir is a directory, or a link to one.
func IsDir(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

func rename(from, to string) error { return os.Rename(from, to) }
