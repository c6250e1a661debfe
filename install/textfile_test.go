//go:build unix

package install

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"swop/internal/testfile"
	"swop/internal/testhome"
)

// What another program wrote since the file was read is not lost with it.
func TestTextFileChangedMeanwhile(t *testing.T) {
	for name, act := range map[string]func(textFile) error{
		"remove":  textFile.remove,
		"replace": func(f textFile) error { return f.replace([]byte("new")) },
	} {
		path := filepath.Join(t.TempDir(), ".bashrc")
		testfile.Put(t, path, "ours", 0o644)
		f, err := readText(path)
		testhome.NoError(t, err)
		testfile.Put(t, path, "ours and theirs", 0o644)
		if err := act(f); !errors.Is(err, errChanged) || readFile(t, path) != "ours and theirs" {
			t.Errorf("%s: %v, and the file is %q, want %v, as it was", name, err, readFile(t, path), errChanged)
		}
		f, err = readText(path)
		testhome.NoError(t, err)
		if err := act(f); err != nil {
			t.Errorf("%s of the file as it is: %v", name, err)
		}
		if _, err := os.Lstat(path); name == "remove" && !os.IsNotExist(err) {
			t.Errorf("remove leaves the file (%v)", err)
		}
	}
}
