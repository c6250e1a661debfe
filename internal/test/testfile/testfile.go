// Package testfile makes and checks the files of tests, with exact modes. It imports nothing of swop, so that any package's tests can use
// it.
package testfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// NoError fails the test on an error.
func NoError(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// OwnDir returns an empty directory that only its owner can write, whatever the umask.
func OwnDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	NoError(t, err)
	Chmod(t, dir, 0o700)
	return dir
}

// Put writes a file and gives it a mode, whatever the umask, and returns its name. It makes the directories that the file needs.
func Put(t *testing.T, file, text string, mode os.FileMode) string {
	t.Helper()
	NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	NoError(t, os.WriteFile(file, []byte(text), 0o600))
	Chmod(t, file, mode)
	return file
}

// Chmod is os.Chmod, which must work.
func Chmod(t *testing.T, file string, mode os.FileMode) {
	t.Helper()
	NoError(t, os.Chmod(file, mode))
}

// Symlink makes a symbolic link and returns its name.
func Symlink(t *testing.T, target, link string) string {
	t.Helper()
	NoError(t, os.Symlink(target, link))
	return link
}

// LinkPrograms links these programs of PATH into the directory, which it returns, so that it can be a PATH with nothing else.
func LinkPrograms(t *testing.T, dir string, names ...string) string {
	t.Helper()
	for _, name := range names {
		file, err := exec.LookPath(name)
		NoError(t, err)
		file, err = filepath.EvalSymlinks(file)
		NoError(t, err)
		Symlink(t, file, filepath.Join(dir, name))
	}
	return dir
}

// WantFile fails the test unless the file has this text and mode.
func WantFile(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	got, err := os.ReadFile(file)
	if err != nil || string(got) != text {
		t.Errorf("%s has %q, %v, want %q", file, got, err, text)
	}
	if info, err := os.Lstat(file); err != nil || info.Mode() != mode {
		t.Errorf("%s has the mode %v, %v, want %v", file, info.Mode(), err, mode)
	}
}

// WantNames fails the test unless the directory holds these names, sorted, and no others.
func WantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if got := strings.Join(names, " "); err != nil || got != strings.Join(want, " ") {
		t.Errorf("%s holds %q, %v, want %q", dir, got, err, want)
	}
}
