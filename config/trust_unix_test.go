//go:build unix

package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/say"
	"swop/internal/test/testfile"
)

const stranger = 54321 // a user and group that nobody here is

// chown gives file to others, which only root can: as an ordinary user it reports false, and the suite runs as both.
func chown(t *testing.T, file string, uid, gid int) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		return false
	}
	info, err := os.Lstat(file)
	testfile.NoError(t, err)
	testfile.NoError(t, os.Lchown(file, uid, gid))
	if info.Mode()&os.ModeSymlink == 0 {
		testfile.Chmod(t, file, info.Mode()) // chown clears bits
	}
	return true
}

func TestReadTrusted(t *testing.T) {
	shared := "is writable by other users"
	if hasOwnGroup() {
		shared = ""
	}
	for _, tt := range []struct {
		name      string
		file, dir os.FileMode
		want      string // part of the error, "" for none
		hint      string
	}{
		{"owner only", 0o600, 0o700, "", ""},
		{"own group writes", 0o664, 0o775, shared, ""},
		{"file for the world", 0o602, 0o700, "selector.toml: is writable by other users (mode 0602)", "chmod go-w "},
		{"directory for the world", 0o600, 0o702, "is writable by other users (mode 0702)", "chmod go-w "},
		{"file for the world in a sticky directory", 0o606, 0o777 | os.ModeSticky, "selector.toml: is writable", "chmod go-w "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			places := Places{Config: testfile.OwnDir(t)}
			file := testfile.Put(t, filepath.Join(places.Config, SelectorFile), `account = "work"`, tt.file)
			for _, path := range []string{file, places.Config} {
				testfile.NoError(t, os.Chown(path, -1, os.Getegid()))
			}
			testfile.Chmod(t, file, tt.file)
			testfile.Chmod(t, places.Config, tt.dir)
			t.Cleanup(func() { testfile.Chmod(t, places.Config, 0o700) })
			wantTrust(t, places, tt.want, tt.hint)
		})
	}
}

// TestOwnGroup: what one's group can write is trusted only where the group is the user's alone.
func TestOwnGroup(t *testing.T) {
	const users = "root:x:0:0:root:/root:/bin/sh\nme:x:1000:1000::/home/me:/bin/sh\nyou:x:1001:100::/home/you:/bin/sh\n"
	for _, tt := range []struct {
		name, users, groups, gid string
		want                     bool
	}{
		{"the user's", users, "root:x:0:\nme:x:1000:\n", "1000", true},
		{"the user's, who is named in it", users, "me:x:1000:me\n", "1000", true},
		{"with another member", users, "me:x:1000:me,you\n", "1000", false},
		{"another user's, too", users + "bot:x:1002:1000::/:/bin/sh\n", "me:x:1000:\n", "1000", false},
		{"of all users", users, "users:x:100:\n", "100", false},
		{"of another name", users, "staff:x:1000:\n", "1000", false},
		{"of nobody here", users, "me:x:7:\n", "1000", false},
		{"of a user who is not known", "", "me:x:1000:\n", "1000", false},
	} {
		if got := isOwnGroup(tt.users, tt.groups, "1000", tt.gid); got != tt.want {
			t.Errorf("a group %s: %t, want %t", tt.name, got, tt.want)
		}
	}
}

func wantTrust(t *testing.T, places Places, want, hint string) {
	t.Helper()
	text, err := readTrustedText(filepath.Join(places.Config, SelectorFile), &places, maxText)
	if want == "" {
		if err != nil || text != `account = "work"` {
			t.Errorf("ReadTrusted = %q, %v, want work", text, err)
		}
		return
	}
	if err == nil || !strings.Contains(err.Error(), want) || text != "" {
		t.Errorf("ReadTrusted = %q, %v, want an error with %q", text, err, want)
	}
	if hints := say.Hints(err); hint != "" && (len(hints) != 1 || !strings.HasPrefix(hints[0], hint)) {
		t.Errorf("hints %q, want %q", hints, hint)
	}
	if s, err := ReadSelector(places); err == nil {
		t.Errorf("ReadSelector = %+v, want an error", s)
	}
}

// Every directory on the way counts, on that of each link too, up to the home: who can write one can put another selector there.
func TestReadTrustedWay(t *testing.T) {
	for _, tt := range []struct {
		name string
		// open is the directory or file that others can write, below a base that holds home, dotfiles, and above/inner.
		open string
		mode os.FileMode
		want string
	}{
		{"nothing", "", 0, ""},
		{"the home", "home", 0o703, "home: is writable by other users"},
		{"above the home", ".", 0o777, ""},
		{"the end of a link", "dotfiles/inner", 0o777, "dotfiles/inner: is writable by other users"},
		{"the file behind the links", "dotfiles/inner/file", 0o646, "inner/file: is writable by other users"},
		{"above the end of a link", "dotfiles", 0o777, "dotfiles: is writable by other users"},
		{"above a link in the middle", "between", 0o777, "between: is writable by other users"},
		{"where others can replace only what is theirs", "between", 0o777 | os.ModeSticky, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := testfile.OwnDir(t)
			for _, dir := range []string{"home/.config/swop", "dotfiles/inner", "between"} {
				testfile.NoError(t, os.MkdirAll(filepath.Join(base, dir), 0o700))
			}
			testfile.Put(t, filepath.Join(base, "dotfiles/inner/file"), `account = "work"`, 0o600)
			testfile.Symlink(t, "../dotfiles/inner", filepath.Join(base, "between/link"))
			places := Places{Home: filepath.Join(base, "home"), Config: filepath.Join(base, "home/.config/swop")}
			testfile.Symlink(t, filepath.Join(base, "between/link/file"), filepath.Join(places.Config, SelectorFile))
			if tt.open == "." {
				// The base itself is above dotfiles too, whose way is checked to the end: here the selector is a file.
				testfile.NoError(t, os.Remove(filepath.Join(places.Config, SelectorFile)))
				testfile.Put(t, filepath.Join(places.Config, SelectorFile), `account = "work"`, 0o600)
			}
			if tt.open != "" {
				testfile.NoError(t, os.Chown(filepath.Join(base, tt.open), -1, os.Getegid()))
				testfile.Chmod(t, filepath.Join(base, tt.open), tt.mode)
			}
			wantTrust(t, places, tt.want, "")
		})
	}
}

// In a directory where all may make links, whose a link is decides.
func TestReadTrustedLinkOfStranger(t *testing.T) {
	base := testfile.OwnDir(t)
	places := Places{Home: filepath.Join(base, "home"), Config: filepath.Join(base, "home")}
	testfile.Put(t, filepath.Join(base, "file"), `account = "work"`, 0o600)
	testfile.NoError(t, os.Mkdir(places.Home, 0o700))
	testfile.NoError(t, os.Mkdir(filepath.Join(base, "all"), 0o700))
	link := testfile.Symlink(t, "../file", filepath.Join(base, "all", "link"))
	testfile.Symlink(t, "../all/link", filepath.Join(places.Config, SelectorFile))
	testfile.Chmod(t, filepath.Join(base, "all"), 0o777|os.ModeSticky)
	wantTrust(t, places, "", "")
	if chown(t, link, stranger, stranger) {
		wantTrust(t, places, "all/link: belongs to uid 54321", "sudo chown -h ")
	}
}

func TestReadTrustedOwner(t *testing.T) {
	for _, tt := range []struct {
		name           string
		fileUID, fUser int
		dirUID, dUser  int
		dir            os.FileMode
		want           string
	}{
		{"file of a stranger", stranger, 0, 0, 0, 0o700, "selector.toml: belongs to uid 54321"},
		{"directory of a stranger", 0, 0, stranger, 0, 0o755, "belongs to uid 54321"},
		{"sticky directory of a stranger", 0, 0, stranger, 0, 0o755 | os.ModeSticky, "belongs to uid 54321"},
		{"group of strangers writes the directory", 0, 0, 0, stranger, 0o770, "is writable by other users"},
		{"group of strangers writes the file", 0, stranger, 0, 0, 0o755, "selector.toml: is writable by other users"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			places := Places{Config: testfile.OwnDir(t)}
			file := testfile.Put(t, filepath.Join(places.Config, SelectorFile), `account = "work"`, 0o660)
			testfile.Chmod(t, places.Config, tt.dir)
			if chown(t, file, tt.fileUID, tt.fUser) && chown(t, places.Config, tt.dirUID, tt.dUser) {
				wantTrust(t, places, tt.want, "")
			}
		})
	}
}

// The way to a ".." counts as well: who can replace a link before it decides where it leads.
func TestReadTrustedWayToDots(t *testing.T) {
	base := testfile.OwnDir(t)
	for _, dir := range []string{"config", "open", "far/in", "far/swop"} {
		testfile.NoError(t, os.MkdirAll(filepath.Join(base, dir), 0o700))
	}
	places := Places{Home: filepath.Join(base, "home"), Config: filepath.Join(base, "config")}
	testfile.Put(t, filepath.Join(base, "far/swop/file"), `account = "work"`, 0o600)
	testfile.Symlink(t, filepath.Join(base, "far/in"), filepath.Join(base, "open/link"))
	testfile.Symlink(t, "../open/link/../swop/file", filepath.Join(places.Config, SelectorFile))
	wantTrust(t, places, "", "")
	testfile.Chmod(t, filepath.Join(base, "open"), 0o777)
	wantTrust(t, places, "open: is writable by other users", "")
}

// A selector that cannot be reached is not one that nobody made: its directory, or one above, may be a link to a disk that is gone.
func TestReadTrustedBehindDanglingLink(t *testing.T) {
	for _, name := range []string{".config/swop", ".config"} {
		base := testfile.OwnDir(t)
		places := Places{Home: filepath.Join(base, "home"), Config: filepath.Join(base, "home/.config/swop")}
		link := filepath.Join(places.Home, name)
		testfile.NoError(t, os.MkdirAll(filepath.Dir(link), 0o700))
		if s, err := ReadSelector(places); err != nil || s.Account != "" {
			t.Errorf("nothing there: ReadSelector fails, or reads %+v", s)
		}
		testfile.Symlink(t, filepath.Join(base, "unmounted"), link)
		wantTrust(t, places, name+": is a link to ", "")
		testfile.NoError(t, os.MkdirAll(filepath.Join(base, "unmounted/swop"), 0o700))
		if s, err := ReadSelector(places); err != nil || s.Account != "" {
			t.Errorf("%s: ReadSelector fails, or reads %+v; want an empty one", name, s)
		}
	}
}
