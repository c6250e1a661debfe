//go:build unix

package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"swop/manager/disk"
)

// ownDir returns an empty directory that only its owner can write, whatever the umask.
func ownDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.Chmod(dir, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func put(t *testing.T, file, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	chmod(t, file, mode)
	return file
}

func chmod(t *testing.T, file string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, target, link string) string {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	return link
}

func wantFile(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	got, err := os.ReadFile(file)
	if err != nil || string(got) != text {
		t.Errorf("%s has %q, %v, want %q", file, got, err, text)
	}
	if info, err := os.Lstat(file); err != nil || info.Mode() != mode {
		t.Errorf("%s has the mode %v, %v, want %v", file, info.Mode(), err, mode)
	}
}

func wantNames(t *testing.T, dir string, want ...string) {
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

func TestWriteFile(t *testing.T) {
	dir := ownDir(t)
	file := filepath.Join(dir, "f")
	for _, text := range []string{"one", "", "three\x00", strings.Repeat("x", 1<<20)} {
		if err := disk.WriteFile(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		wantFile(t, file, text, 0o600)
		chmod(t, file, 0o644) // what was wider before is owner-only again
	}
	wantNames(t, dir, "f")
}

// A reader that has the old file open goes on with it, and its other names keep the old text.
func TestWriteFileReplaces(t *testing.T) {
	dir := ownDir(t)
	file, other := put(t, filepath.Join(dir, "f"), "old", 0o600), filepath.Join(dir, "other")
	if err := os.Link(file, other); err != nil {
		t.Fatal(err)
	}
	if err := disk.WriteFile(file, []byte("new")); err != nil {
		t.Fatal(err)
	}
	wantFile(t, file, "new", 0o600)
	wantFile(t, other, "old", 0o600)
}

// A link is not followed: it leads where whoever made it wants.
func TestWriteFileReplacesLinks(t *testing.T) {
	dir, outside := ownDir(t), ownDir(t)
	target := put(t, filepath.Join(outside, "f"), "old", 0o644)
	for name, to := range map[string]string{"link": target, "dangling": filepath.Join(outside, "new"), "loop": "loop"} {
		if err := disk.WriteFile(symlink(t, to, filepath.Join(dir, name)), []byte("new")); err != nil {
			t.Fatal(err)
		}
		wantFile(t, filepath.Join(dir, name), "new", 0o600)
	}
	wantFile(t, target, "old", 0o644)
	wantNames(t, outside, "f")
}

// The selector may be a link into dotfiles: what it leads to is written.
func TestWriteSelectorFollowsLinks(t *testing.T) {
	dir, dotfiles := ownDir(t), ownDir(t)
	target := put(t, filepath.Join(dotfiles, "f"), "", 0o644)
	symlink(t, "f", filepath.Join(dotfiles, "relative"))
	link := symlink(t, filepath.Join(dotfiles, "relative"), filepath.Join(dir, SelectorFile))
	want, err := Selector{Account: "work"}.Text()
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteSelector(Places{Config: dir}, Selector{Account: "work"}); err != nil {
		t.Fatal(err)
	}
	wantFile(t, target, string(want), 0o600)
	wantNames(t, dotfiles, "f", "relative")
	wantNames(t, dir, SelectorFile)
	if got, err := os.Readlink(link); got != filepath.Join(dotfiles, "relative") || err != nil {
		t.Errorf("the link leads to %q, %v", got, err)
	}
}

// A link is the user's: one that leads nowhere is written through or refused, never replaced.
func TestWriteSelectorKeepsLinks(t *testing.T) {
	for name, target := range map[string]string{"dangling": "gone", "far": "gone/gone", "loop": SelectorFile} {
		dir := ownDir(t)
		link := symlink(t, target, filepath.Join(dir, SelectorFile))
		err := WriteSelector(Places{Config: dir}, Selector{Account: "work"})
		if got, _ := os.Readlink(link); got != target {
			t.Errorf("%s: WriteSelector = %v, and the link is gone", name, err)
		}
	}
}

func TestWriteFileFails(t *testing.T) {
	dir := ownDir(t)
	if err := disk.WriteFile(filepath.Join(dir, "none", "f"), []byte("x")); err == nil {
		t.Error("WriteFile in a directory that is not there succeeds")
	}
	busy := filepath.Join(dir, "busy")
	if err := os.Mkdir(busy, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := disk.WriteFile(busy, []byte("x")); err == nil {
		t.Error("WriteFile over a directory succeeds")
	}
	wantNames(t, dir, "busy")

	if os.Geteuid() == 0 {
		return // root may write where nobody else may; the suite runs as both
	}
	file := put(t, filepath.Join(busy, "f"), "old", 0o644)
	chmod(t, busy, 0o500)
	t.Cleanup(func() { chmod(t, busy, 0o700) })
	if err := disk.WriteFile(file, []byte("new")); err == nil {
		t.Error("WriteFile in a read-only directory succeeds")
	}
	wantFile(t, file, "old", 0o644)
	wantNames(t, busy, "f")
}

// No moment has neither text: a reader beside a writer sees one or the other.
func TestWriteFileIsAtomic(t *testing.T) {
	file := filepath.Join(ownDir(t), "f")
	texts := [][]byte{bytes.Repeat([]byte("a"), 9000), bytes.Repeat([]byte("b"), 7000)}
	if err := disk.WriteFile(file, texts[0]); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		for i := range 40 {
			if err := disk.WriteFile(file, texts[i%2]); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, texts[0]) && !bytes.Equal(got, texts[1]) {
			t.Fatalf("a reader sees %d bytes, %v", len(got), err)
		}
	}
}

func TestWriteSelector(t *testing.T) {
	places := Places{Config: filepath.Join(ownDir(t), "a", "b")}
	want := Selector{Account: "work", Directory: []Binding{{"/a", "b"}}}
	if err := WriteSelector(places, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadSelector(places)
	if err != nil || got.Account != want.Account || len(got.Directory) != 1 || got.Directory[0] != want.Directory[0] {
		t.Errorf("ReadSelector = %+v, %v, want %+v", got, err, want)
	}
	if info, err := os.Stat(places.Config); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory has the mode %v, %v, want 0700", info.Mode(), err)
	}
	wantNames(t, places.Config, SelectorFile)
}

// Of the directories that are missing none is left that its owner cannot enter: .config is other programs', too.
func TestWriteSelectorWhateverTheUmask(t *testing.T) {
	base := ownDir(t)
	places := Places{Config: filepath.Join(base, "a", "b")}
	umask := syscall.Umask(0o777)
	err := WriteSelector(places, Selector{Account: "work"})
	syscall.Umask(umask)
	if err != nil {
		t.Error(err)
	}
	for _, dir := range []string{filepath.Join(base, "a"), places.Config} {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v, want 0700", dir, info, err)
		}
	}
}

func TestReadMissing(t *testing.T) {
	places := Places{Config: filepath.Join(ownDir(t), "none")}
	if s, err := ReadSelector(places); err != nil || s.Account != "" || s.Directory != nil {
		t.Errorf("ReadSelector = %+v, %v, want an empty one", s, err)
	}
	if s, err := ReadSettings(places); err != nil || s.Launch != LaunchNative || s.Isolation != IsolateHome {
		t.Errorf("ReadSettings = %+v, %v, want the defaults", s, err)
	}
}

// within fails the test if f takes longer than a person would wait, and frees it by opening the FIFO that it waits for.
func within(t *testing.T, fifo string, f func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		t.Errorf("reading %s hangs", fifo)
	}
	w, err := os.OpenFile(fifo, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return <-done
}

func TestReadWhatIsNoFile(t *testing.T) {
	for name, create := range map[string]func(string) error{
		"not a regular file": func(file string) error { return os.Mkdir(file, 0o700) },
		"fifo":               func(file string) error { return syscall.Mkfifo(file, 0o600) },
		"does not exist":     func(file string) error { return os.Symlink("gone", file) },
		"larger than":        func(file string) error { return os.WriteFile(file, bytes.Repeat([]byte("#"), maxText+1), 0o600) },
		"/dev/zero":          func(file string) error { return os.Symlink("/dev/zero", file) },
		"loop":               func(file string) error { return os.Symlink(filepath.Base(file), file) },
	} {
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			places := Places{Config: ownDir(t)}
			for file, read := range map[string]func() error{
				SelectorFile: func() error { _, err := ReadSelector(places); return err },
				SettingsFile: func() error { _, err := ReadSettings(places); return err },
			} {
				path := filepath.Join(places.Config, file)
				if err := create(path); err != nil {
					t.Fatal(err)
				}
				err := within(t, path, read)
				if err == nil || !strings.Contains(err.Error(), path) {
					t.Errorf("%s that is %s is read: %v, want an error that names it", file, name, err)
				}
			}
		})
	}
	places := Places{Config: ownDir(t)}
	put(t, filepath.Join(places.Config, SelectorFile), strings.Repeat("#", maxText), 0o600)
	if _, err := ReadSelector(places); err != nil {
		t.Errorf("a selector of %d bytes is refused: %v", maxText, err)
	}
}
