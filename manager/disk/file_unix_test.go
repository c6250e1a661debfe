//go:build unix

package disk

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		if err := WriteFile(file, []byte(text)); err != nil {
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
	if err := WriteFile(file, []byte("new")); err != nil {
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
		if err := WriteFile(symlink(t, to, filepath.Join(dir, name)), []byte("new")); err != nil {
			t.Fatal(err)
		}
		wantFile(t, filepath.Join(dir, name), "new", 0o600)
	}
	wantFile(t, target, "old", 0o644)
	wantNames(t, outside, "f")
}

func TestWriteFileFails(t *testing.T) {
	dir := ownDir(t)
	if err := WriteFile(filepath.Join(dir, "none", "f"), []byte("x")); err == nil {
		t.Error("WriteFile in a directory that is not there succeeds")
	}
	busy := filepath.Join(dir, "busy")
	if err := os.Mkdir(busy, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(busy, []byte("x")); err == nil {
		t.Error("WriteFile over a directory succeeds")
	}
	wantNames(t, dir, "busy")

	if os.Geteuid() == 0 {
		return // root may write where nobody else may; the suite runs as both
	}
	file := put(t, filepath.Join(busy, "f"), "old", 0o644)
	chmod(t, busy, 0o500)
	t.Cleanup(func() { chmod(t, busy, 0o700) })
	if err := WriteFile(file, []byte("new")); err == nil {
		t.Error("WriteFile in a read-only directory succeeds")
	}
	wantFile(t, file, "old", 0o644)
	wantNames(t, busy, "f")
}

// No moment has neither text: a reader beside a writer sees one or the other.
func TestWriteFileIsAtomic(t *testing.T) {
	file := filepath.Join(ownDir(t), "f")
	texts := [][]byte{bytes.Repeat([]byte("a"), 9000), bytes.Repeat([]byte("b"), 7000)}
	if err := WriteFile(file, texts[0]); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		for i := range 40 {
			if err := WriteFile(file, texts[i%2]); err != nil {
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
