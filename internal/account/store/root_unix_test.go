//go:build unix

package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

const plainRoot = `{"schema_version":1,"shared_home":"/home/me/.codex","shared_home_device":18446744073709551615,"shared_home_inode":7,"config":"/c"}`

func TestReadRootRefuses(t *testing.T) {
	dir := filepath.Dir(testStore(t).Home)
	file := filepath.Join(dir, "root.json")
	if _, err := ReadRoot(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadRoot without one = %v", err)
	}
	for name, make := range map[string]func() error{
		"link":      func() error { return os.Symlink(testhome.PutFile(t, filepath.Join(dir, "real"), plainRoot), file) },
		"directory": func() error { return os.Mkdir(file, 0o700) },
		"FIFO":      func() error { return unix.Mkfifo(file, 0o600) },
		"garbage":   func() error { return os.WriteFile(file, []byte("x"), 0o600) },
		"huge":      func() error { return os.WriteFile(file, []byte(plainRoot+strings.Repeat(" ", account.MaxJSON)), 0o600) },
	} {
		testhome.NoError(t, make())
		if r, err := ReadRoot(dir); err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), file) {
			t.Errorf("ReadRoot of a %s = %+v, %v, want an error that names it", name, r, err)
		}
		testhome.NoError(t, os.RemoveAll(file))
	}
}

func TestRootCheck(t *testing.T) {
	s := testStore(t)
	home := filepath.Join(s.Home, ".codex")
	var st unix.Stat_t
	testhome.NoError(t, unix.Stat(home, &st))
	dev, ino := uint64(st.Dev), uint64(st.Ino)
	link := testfile.Symlink(t, home, filepath.Join(s.Home, "link"))
	dangling := testfile.Symlink(t, "gone", filepath.Join(s.Home, "dangling"))
	file := testhome.PutFile(t, filepath.Join(s.Home, "file"), "")
	for _, tt := range []struct {
		name string
		home account.SharedHome
		want string
	}{
		{"as recorded", account.SharedHome{Path: home, Device: dev, Inode: ino}, ""},
		{"through a link", account.SharedHome{Path: link, Device: dev, Inode: ino}, ""},
		{"other device after a restart", account.SharedHome{Path: home, Device: dev + 1, Inode: ino}, ""},
		{"other inode after a restore", account.SharedHome{Path: home, Device: dev, Inode: ino + 1}, ""},
		{"another directory", account.SharedHome{Path: home, Device: dev + 1, Inode: ino + 1}, "on another device"},
		{"missing", account.SharedHome{Path: home + "x", Device: dev, Inode: ino}, "cannot be read: no such file"},
		{"dangling", account.SharedHome{Path: dangling, Device: dev, Inode: ino}, "cannot be read: no such file"},
		{"below a file", account.SharedHome{Path: file + "/x", Device: dev, Inode: ino}, "cannot be read: not a directory"},
		{"a file", account.SharedHome{Path: file, Device: dev, Inode: ino}, "cannot be read: not a directory"},
	} {
		err := account.Root{SharedHome: tt.home}.Check()
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: check() = %v", tt.name, err)
			}
			continue
		}
		if !errors.Is(err, disk.ErrUnsafe) || !strings.Contains(err.Error(), tt.want) || len(say.Hints(err)) != 1 {
			t.Errorf("%s: check() = %v with hints %q, want a refusal with %q and one hint", tt.name, err, say.Hints(err), tt.want)
		}
	}
}
