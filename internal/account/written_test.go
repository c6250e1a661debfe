package account

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"swop/config"
	"swop/internal/test/testfile"
)

// TestWritten: where sessions could write is everywhere as long as that cannot be read.
func TestWritten(t *testing.T) {
	root := t.TempDir()
	if got := Written(root); len(got) > 0 {
		t.Errorf("without a file sessions could write %q", got)
	}
	testfile.NoError(t, os.MkdirAll(WrittenFile(root), 0o700))
	if got := Written(root); !slices.Equal(got, []string{"/"}) {
		t.Errorf("with one that cannot be read sessions could write %q", got)
	}
}

// TestOutside: a program of swop's own obeys no variable that may name what a session could write, in whatever form.
func TestOutside(t *testing.T) {
	home := t.TempDir()
	places, work := config.Places{Home: home, Root: filepath.Join(home, ".swop")}, filepath.Join(home, "work")
	kept := config.Env{"HOME=" + home, "https_proxy=http://proxy:8080", "XDG_DATA_HOME=" + home + "/data", "PASSWORD_STORE_DIR=/p", "LC_ALL=C"}
	env := append(slices.Clone(kept), "PYTHONPATH=$HOME/work", "BASH_ENV="+work, "GNUPGHOME="+home+"/link/gpg", "XDG_CONFIG_HOME="+home,
		"PATH=/usr/bin:"+home+"/link/bin:.")
	testfile.NoError(t, errors.Join(os.Mkdir(work, 0o700), os.Mkdir(places.Root, 0o700), os.Symlink(work, filepath.Join(home, "link"))))
	if got := Outside(env, places); len(got) != len(env) {
		t.Errorf("before any session Outside() = %q", got)
	}
	testfile.Put(t, WrittenFile(home), "\x00"+work+"\x00", 0o600)
	if got, want := Outside(env, places), append(kept, "PATH=/usr/bin"); !slices.Equal(got, want) {
		t.Errorf("Outside() = %q, want %q", got, want)
	}
}
