package account

import (
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

// TestOutside: a program of swop's own gets no variable that names what a session could write, in whatever form.
func TestOutside(t *testing.T) {
	home := t.TempDir()
	places, work := config.Places{Home: home, Root: filepath.Join(home, "root")}, filepath.Join(home, "my work")
	kept := config.Env{"HOME=" + home, "https_proxy=http://proxy:8080", "AWS_CONFIG_FILE=~/.aws/config", "SWOP_ROOT=" + places.Root, "LANG=C"}
	for _, err := range []error{
		os.Mkdir(work, 0o700), os.Mkdir(places.Root, 0o700), os.Symlink(work, filepath.Join(home, "link")),
		os.WriteFile(WrittenFile(places.Root), []byte("\x00"+work+"\x00"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	env := append(slices.Clone(kept), "PYTHONPATH=/usr/lib:"+work+"/src", "NODE_OPTIONS=--require="+home+"/link/.pnp.cjs",
		"BASH_ENV=~/link/env", "CPPFLAGS=-O2 -I"+home+"/link/include", "PATH=/usr/bin:"+home+"/link/bin:.")
	if got, want := Outside(env, places), append(kept, "PATH=/usr/bin"); !slices.Equal(got, want) {
		t.Errorf("Outside() = %q, want %q", got, want)
	}
}
