//go:build unix

package disk

import (
	"os"
	"path/filepath"
	"testing"

	"swop/internal/test/testfile"
)

// A link is not followed: it leads where whoever made it wants.
func TestWriteFileReplacesLinks(t *testing.T) {
	dir, outside := testfile.OwnDir(t), testfile.OwnDir(t)
	target := testfile.Put(t, filepath.Join(outside, "f"), "old", 0o644)
	for name, to := range map[string]string{"link": target, "dangling": filepath.Join(outside, "new"), "loop": "loop"} {
		testfile.NoError(t, WriteFile(testfile.Symlink(t, to, filepath.Join(dir, name)), []byte("new")))
		testfile.WantFile(t, filepath.Join(dir, name), "new", 0o600)
	}
	testfile.WantFile(t, target, "old", 0o644)
	testfile.WantNames(t, outside, "f")
}

func TestWriteFileFails(t *testing.T) {
	dir := testfile.OwnDir(t)
	busy := filepath.Join(dir, "busy")
	testfile.NoError(t, os.Mkdir(busy, 0o700))
	link := testfile.Symlink(t, dir, filepath.Join(testfile.OwnDir(t), "link")) // in the place of a directory that was just made
	for what, err := range map[string]error{
		"WriteFile in a directory that is not there": WriteFile(filepath.Join(dir, "none", "f"), []byte("x")),
		"WriteFile over a directory":                 WriteFile(busy, []byte("x")),
		"CloseDir through a link":                    CloseDir(link),
	} {
		if err == nil {
			t.Error(what, "succeeds")
		}
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
