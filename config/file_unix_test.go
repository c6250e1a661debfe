//go:build unix

package config

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"swop/internal/test/testfile"
)

// The selector may be a link into dotfiles: what it leads to is written.
func TestWriteSelectorFollowsLinks(t *testing.T) {
	dir, dotfiles := testfile.OwnDir(t), testfile.OwnDir(t)
	target := testfile.Put(t, filepath.Join(dotfiles, "f"), "", 0o644)
	testfile.Symlink(t, "f", filepath.Join(dotfiles, "relative"))
	link := testfile.Symlink(t, filepath.Join(dotfiles, "relative"), filepath.Join(dir, selectorFile))
	want, err := selectorText(Selector{Account: "work"})
	testfile.NoError(t, err)
	testfile.NoError(t, WriteSelector(Places{Config: dir}, Selector{Account: "work"}))
	testfile.WantFile(t, target, string(want), 0o600)
	testfile.WantNames(t, dotfiles, "f", "relative")
	testfile.WantNames(t, dir, selectorFile)
	if got, err := os.Readlink(link); got != filepath.Join(dotfiles, "relative") || err != nil {
		t.Errorf("the link leads to %q, %v", got, err)
	}
}

// A link is the user's: one that leads nowhere is refused, never replaced.
func TestWriteSelectorKeepsLinks(t *testing.T) {
	for name, target := range map[string]string{"dangling": "gone", "far": "gone/gone", "loop": selectorFile} {
		dir := testfile.OwnDir(t)
		link := testfile.Symlink(t, target, filepath.Join(dir, selectorFile))
		err := WriteSelector(Places{Config: dir}, Selector{Account: "work"})
		if got, _ := os.Readlink(link); got != target {
			t.Errorf("%s: WriteSelector = %v, and the link is gone", name, err)
		}
	}
}

func TestWriteSelector(t *testing.T) {
	places := Places{Config: filepath.Join(testfile.OwnDir(t), "a", "b")}
	want := Selector{Account: "work", Directory: []Binding{{Path: "/a", Account: "b"}}}
	testfile.NoError(t, WriteSelector(places, want))
	got, err := ReadSelector(places)
	if err != nil || got.Account != want.Account || len(got.Directory) != 1 || !reflect.DeepEqual(got.Directory[0], want.Directory[0]) {
		t.Errorf("ReadSelector = %+v, %v, want %+v", got, err, want)
	}
	if info, err := os.Stat(places.Config); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory has the mode %v, %v, want 0700", info.Mode(), err)
	}
	testfile.WantNames(t, places.Config, selectorFile)
}

func TestReadMissing(t *testing.T) {
	places := Places{Config: filepath.Join(testfile.OwnDir(t), "none")}
	if s, err := ReadSelector(places); err != nil || s.Account != "" || s.Directory != nil {
		t.Errorf("ReadSelector = %+v, %v, want an empty one", s, err)
	}
	if s, err := ReadSettings(places); err != nil || s.Launch != LaunchNative || s.Isolation != IsolateHome {
		t.Errorf("ReadSettings = %+v, %v, want the defaults", s, err)
	}
}

const tooLong = maxText + 1

func TestReadWhatIsNoFile(t *testing.T) {
	for name, create := range map[string]func(string) error{
		"not a regular file": func(file string) error { return os.Mkdir(file, 0o700) },
		"fifo":               func(file string) error { return syscall.Mkfifo(file, 0o600) },
		"does not exist":     func(file string) error { return os.Symlink("gone", file) },
		"larger than":        func(file string) error { return os.WriteFile(file, bytes.Repeat([]byte("#"), tooLong), 0o600) },
		"/dev/zero":          func(file string) error { return os.Symlink("/dev/zero", file) },
		"loop":               func(file string) error { return os.Symlink(filepath.Base(file), file) },
	} {
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			places := Places{Config: testfile.OwnDir(t)}
			for file, read := range map[string]func() error{
				selectorFile: func() error { _, err := ReadSelector(places); return err },
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
	testfile.Put(t, filepath.Join(places.Config, selectorFile), strings.Repeat("#", tooLong-1), 0o600)
	if _, err := ReadSelector(places); err != nil {
		t.Errorf("a selector of %d bytes is refused: %v", tooLong-1, err)
	}
}
