//go:build unix

package disk

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/testfile"
)

func TestWriteFile(t *testing.T) {
	dir := testfile.OwnDir(t)
	file := filepath.Join(dir, "f")
	for _, text := range []string{"one", "", "three\x00", strings.Repeat("x", 1<<20)} {
		if err := WriteFile(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		testfile.WantFile(t, file, text, 0o600)
		testfile.Chmod(t, file, 0o644) // what was wider before is owner-only again
	}
	testfile.WantNames(t, dir, "f")
}

// A reader that has the old file open goes on with it, and its other names keep the old text.
func TestWriteFileReplaces(t *testing.T) {
	dir := testfile.OwnDir(t)
	file, other := testfile.Put(t, filepath.Join(dir, "f"), "old", 0o600), filepath.Join(dir, "other")
	if err := os.Link(file, other); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(file, []byte("new")); err != nil {
		t.Fatal(err)
	}
	testfile.WantFile(t, file, "new", 0o600)
	testfile.WantFile(t, other, "old", 0o600)
}

// A link is not followed: it leads where whoever made it wants.
func TestWriteFileReplacesLinks(t *testing.T) {
	dir, outside := testfile.OwnDir(t), testfile.OwnDir(t)
	target := testfile.Put(t, filepath.Join(outside, "f"), "old", 0o644)
	for name, to := range map[string]string{"link": target, "dangling": filepath.Join(outside, "new"), "loop": "loop"} {
		if err := WriteFile(testfile.Symlink(t, to, filepath.Join(dir, name)), []byte("new")); err != nil {
			t.Fatal(err)
		}
		testfile.WantFile(t, filepath.Join(dir, name), "new", 0o600)
	}
	testfile.WantFile(t, target, "old", 0o644)
	testfile.WantNames(t, outside, "f")
}

func TestWriteFileFails(t *testing.T) {
	dir := testfile.OwnDir(t)
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
	testfile.WantNames(t, dir, "busy")

	if os.Geteuid() == 0 {
		return // root may write where nobody else may; the suite runs as both
	}
	file := testfile.Put(t, filepath.Join(busy, "f"), "old", 0o644)
	testfile.Chmod(t, busy, 0o500)
	t.Cleanup(func() { testfile.Chmod(t, busy, 0o700) })
	if err := WriteFile(file, []byte("new")); err == nil {
		t.Error("WriteFile in a read-only directory succeeds")
	}
	testfile.WantFile(t, file, "old", 0o644)
	testfile.WantNames(t, busy, "f")
}

// No moment has neither text: a reader beside a writer sees one or the other.
func TestWriteFileIsAtomic(t *testing.T) {
	file := filepath.Join(testfile.OwnDir(t), "f")
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
