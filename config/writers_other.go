//go:build !unix

package config

import (
	"io/fs"
	"os"
)

// checkWriters accepts every file: Windows' access lists are not read yet, and nothing runs under an account there.
func checkWriters(string, fs.FileInfo, int) error { return nil }

// openNow opens a file for reading.
func openNow(file string) (*os.File, error) { return os.Open(file) }
