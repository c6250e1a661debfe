//go:build unix

package store

import (
	"errors"
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
