// Package testhome makes homes for tests, and looks at what is in them.
package testhome

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/disk"
)

func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Scratch is a directory that can be written fast.
func Scratch(t testing.TB) string {
	dir, err := os.MkdirTemp(cmp.Or(os.Getenv("SWOP_TEST_SCRATCH"), "/dev/shm"), "engine")
	if err != nil || !filepath.IsAbs(dir) { // Windows has it below the present drive, if at all
		return t.TempDir()
	}
	t.Cleanup(func() {
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() {
				_ = os.Chmod(path, 0o700) // an ordinary user removes nothing from a directory that is read-only
			}
			return nil
		})
		NoError(t, os.RemoveAll(dir))
	})
	return dir
}

func PutText(t testing.TB, file, text string) {
	t.Helper()
	NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

func TextOf(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return "(" + errors.Unwrap(err).Error() + ")"
	}
	return string(text)
}

// HoldsText reports whether a file below one of dirs contains text.
func HoldsText(text string, dirs ...string) bool {
	found := false
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error { // what cannot be read holds nothing
			if err == nil && entry.Type().IsRegular() {
				content, _ := os.ReadFile(path)
				found = found || bytes.Contains(content, []byte(text))
			}
			return nil
		})
	}
	return found
}

// Names and texts that others chose: shown, quoted, matched. What is read from files of ours that another may have written is in
// hostile_unix_fuzz_test.go.

// HostileNames are seeds for all that takes a name.
var HostileNames = []string{
	"", "a", ".", "..", "a/b", "\x00", "\x1b[31m", "\u009b", "\u202e", "\xff", "a\nb", "'", `"`, `\`, "$(x)", "é", "AUTH.json", "x.SOCK", "[", "[a-", `\`,
	"*", "state_5.sqlite", "state_5.sqlite-wal", ".swop-x-", ".swop-c-", ".swop-x-0123456789abcdefghijklmnop-config.toml",
	".swop-c-0123456789abcdefghijklmnop", "home-1-2", ".selector", ".build", "-rf", "~", "CON", strings.Repeat("a", 255), strings.Repeat("*", 60) + "b",
}

// PutFile makes the file with the text, and the directories that it needs.
func PutFile(t testing.TB, file, text string) string {
	t.Helper()
	NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	PutText(t, file, text)
	return file
}

// Tree describes dir and all below it, a line for each entry: mode, name, and what it holds or where it leads.
func Tree(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		line := fmt.Sprintf("%v %s", info.Mode(), name)
		switch {
		case info.Mode().IsRegular():
			text, err := os.ReadFile(path)
			line += fmt.Sprintf(" %q %v", text, err)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			line += fmt.Sprintf(" -> %q %v", target, err)
		}
		lines = append(lines, line)
		return nil
	})
	NoError(t, err)
	return strings.Join(lines, "\n")
}

// WantTree fails the test unless dir is what [Tree] described before.
func WantTree(t *testing.T, dir, before string) {
	t.Helper()
	if after := Tree(t, dir); after != before {
		t.Errorf("%s changed from\n%s\nto\n%s", dir, before, after)
	}
}

// Places returns the places of a home of its own, on [Scratch], which has a codex home.
func Places(t testing.TB) config.Places {
	t.Helper()
	base := disk.Resolve(Scratch(t))
	NoError(t, os.Chmod(base, 0o700))
	home := filepath.Join(base, "home")
	NoError(t, os.MkdirAll(filepath.Join(home, ".codex"), 0o700))
	return config.Places{Home: home, Root: filepath.Join(home, ".swop"), Config: filepath.Join(base, "config")}
}

// Rules returns the rules of a bridge of this kind that the texts say.
func Rules(t testing.TB, kind string, texts ...string) (list []config.Rule) {
	t.Helper()
	for _, text := range texts {
		r, defect := config.ParseRule(kind, text)
		if defect != "" {
			t.Fatalf("%q %s", text, defect)
		}
		list = append(list, r)
	}
	return list
}
