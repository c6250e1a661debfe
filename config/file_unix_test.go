//go:build unix

package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testfile"
)

// A link is the user's: one that leads nowhere is refused, never replaced.
func TestWriteSelectorKeepsLinks(t *testing.T) {
	for name, target := range map[string]string{"dangling": "gone", "far": "gone/gone", "loop": SelectorFile} {
		dir := testfile.OwnDir(t)
		link := testfile.Symlink(t, target, filepath.Join(dir, SelectorFile))
		err := WriteSelector(Places{Config: dir}, Selector{Account: "work"})
		if got, _ := os.Readlink(link); got != target {
			t.Errorf("%s: WriteSelector = %v, and the link is gone", name, err)
		}
	}
}

const tooLong = maxText + 1

func TestReadWhatIsNoFile(t *testing.T) {
	for name, create := range map[string]func(string) error{
		"not a regular file": func(file string) error { return os.Mkdir(file, 0o700) },
		"does not exist":     func(file string) error { return os.Symlink("gone", file) },
		"larger than":        func(file string) error { return os.WriteFile(file, bytes.Repeat([]byte("#"), tooLong), 0o600) },
		"loop":               func(file string) error { return os.Symlink(filepath.Base(file), file) },
	} {
		t.Run(name, func(t *testing.T) {
			places := Places{Config: testfile.OwnDir(t)}
			for file, read := range map[string]func() error{
				SelectorFile: func() error { _, err := ReadSelector(places); return err },
				SettingsFile: func() error { _, err := ReadSettings(places); return err },
			} {
				path := filepath.Join(places.Config, file)
				testfile.NoError(t, create(path))
				err := read()
				if err == nil || !strings.Contains(err.Error(), path) {
					t.Errorf("%s that is %s is read: %v, want an error that names it", file, name, err)
				}
			}
		})
	}
	places := Places{Config: testfile.OwnDir(t)}
	testfile.Put(t, filepath.Join(places.Config, SelectorFile), strings.Repeat("#", tooLong-1), 0o600)
	if _, err := ReadSelector(places); err != nil {
		t.Errorf("a selector of %d bytes is refused: %v", tooLong-1, err)
	}
}
