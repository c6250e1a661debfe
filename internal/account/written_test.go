package account

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"swop/config"
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

// TestOutside: a program of swop's own obeys no variable that may name what a session could write, in whatever form.
func TestOutside(t *testing.T) {
	home := t.TempDir()
	places, work := config.Places{Home: home, Root: filepath.Join(home, "root")}, filepath.Join(home, "work")
	kept := config.Env{"HOME=" + home, "https_proxy=http://proxy:8080", "XDG_DATA_HOME=" + home, "LC_ALL=C"}
	env := append(slices.Clone(kept), "PYTHONPATH=$HOME/work", "BASH_ENV="+work, "PATH=/usr/bin:"+home+"/link/bin:.")
	if err := errors.Join(os.Mkdir(work, 0o700), os.Mkdir(places.Root, 0o700), os.Symlink(work, filepath.Join(home, "link"))); err != nil {
		t.Fatal(err)
	}
	if got := Outside(env, places); len(got) != len(env) {
		t.Errorf("before any session Outside() = %q", got)
	}
	if err := os.WriteFile(WrittenFile(places.Root), []byte("\x00"+work+"\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := Outside(env, places), append(kept, "PATH=/usr/bin"); !slices.Equal(got, want) {
		t.Errorf("Outside() = %q, want %q", got, want)
	}
}
