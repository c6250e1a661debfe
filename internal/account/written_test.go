package account

import (
	"os"
	"slices"
	"testing"
)

// TestWritten: where sessions could write is everywhere as long as that cannot be read.
func TestWritten(t *testing.T) {
	root := t.TempDir()
	if got := Written(root); len(got) > 0 {
		t.Errorf("without a file sessions could write %q", got)
	}
	if err := os.Mkdir(WrittenFile(root), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := Written(root); !slices.Equal(got, []string{"/"}) {
		t.Errorf("with one that cannot be read sessions could write %q", got)
	}
}
