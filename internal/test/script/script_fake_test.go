//go:build unix

package swop_test

import (
	"os"
	"path/filepath"
	"syscall"
)

// writeFake makes a fake codex, a program of its own: swop tells programs apart by their file.
func writeFake(file string) error {
	data, err := os.ReadFile(codexfake())
	if err != nil {
		return err
	}
	return writeProgram(file, data)
}

func writeProgram(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	// A child forked meanwhile would hold the file open for writing, and exec fail with ETXTBSY.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(file, data, 0o755)
}
