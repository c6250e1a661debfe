//go:build !unix

package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// readTrustedText returns the contents of the regular file at path, of most bytes at most. Who could write it is not looked at: Windows'
// access lists are not read yet, and nothing runs under an account there.
func readTrustedText(path string, _ *Places, most int64) (string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: not a regular file", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s: larger than %d bytes", path, most)
	}
	return string(text), err
}
