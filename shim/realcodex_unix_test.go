//go:build unix

package shim

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/say"
	"swop/internal/test/testhome"
)

// bin makes a directory below base with an executable codex in it.
func bin(t *testing.T, base, dir string) string {
	t.Helper()
	path := filepath.Join(base, dir)
	testhome.NoError(t, os.MkdirAll(path, 0o755))
	file := filepath.Join(path, "codex")
	testhome.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755))
	return file
}

func identity(t *testing.T, file string) FileID {
	t.Helper()
	var st unix.Stat_t
	testhome.NoError(t, unix.Stat(file, &st))
	return idOf(&st)
}

func TestFindReal(t *testing.T) {
	base := t.TempDir()
	shim, real, second := bin(t, base, "shim"), bin(t, base, "real"), bin(t, base, "second")
	made := func(dir string, make func(file string) error) {
		path := filepath.Join(base, dir)
		testhome.NoError(t, errors.Join(os.MkdirAll(path, 0o755), make(filepath.Join(path, "codex"))))
	}
	made("directory", func(file string) error { return os.Mkdir(file, 0o755) })
	made("plain", func(file string) error { return os.WriteFile(file, nil, 0o644) })
	made("dangling", func(file string) error { return os.Symlink("gone", file) })
	made("loop", func(file string) error { return os.Symlink("codex", file) })
	made("fifo", func(file string) error { return unix.Mkfifo(file, 0o755) })
	made("linked", func(file string) error { return os.Symlink(shim, file) })
	made("twice linked", func(file string) error { return os.Symlink("../linked/codex", file) })
	made("hard", func(file string) error { return os.Link(shim, file) })
	made("link to real", func(file string) error { return os.Symlink(real, file) })
	made("to a directory", func(file string) error { return os.Symlink(base, file) })
	made("empty", func(string) error { return nil })
	made("exe", func(file string) error { return os.WriteFile(file+".exe", nil, 0o755) })
	testhome.NoError(t, os.Symlink("shim", filepath.Join(base, "dir link")))
	here, err := os.Getwd()
	testhome.NoError(t, err)
	up, err := filepath.Rel(here, filepath.Dir(real))
	testhome.NoError(t, err)
	for _, tt := range []struct {
		name string
		path []string // below base where not absolute, "=" before what is to stand as it is
		want string
	}{
		{"real alone", []string{"real"}, real},
		{"shim first", []string{"shim", "real", "second"}, real},
		{"real first", []string{"real", "shim", "second"}, real},
		{"shim alone", []string{"shim"}, ""},
		{"nothing", nil, ""},
		{"empty", []string{"="}, ""},
		{"empty entries", []string{"=", "=", "real", "="}, real},
		{"shim twice", []string{"shim", "shim", "shim/", "./shim", "second"}, second},
		{"slash at the end", []string{"shim/", "shim//", "real/"}, real},
		{"link to the shim", []string{"linked", "twice linked", "dir link", "real"}, real},
		{"hard link to the shim", []string{"hard", "real"}, real},
		{"link to the real one", []string{"shim", "link to real", "second"}, real},
		{"a directory", []string{"directory", "to a directory", "real"}, real},
		{"not executable", []string{"plain", "real"}, real},
		{"no file", []string{"dangling", "loop", "fifo", "empty", "gone", "exe", "real"}, real},
		{"a file as directory", []string{"real/codex", "real"}, real},
		{"relative", []string{"=" + up, "=.", "=..", "second"}, second},
		{"tilde", []string{"=~/bin", "second"}, second},
		{"all at once", []string{"shim", "linked", "directory", "plain", "dangling", "=" + up, "=", "second", "real"}, second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var dirs []string
			for _, dir := range tt.path {
				if raw, ok := strings.CutPrefix(dir, "="); ok {
					dirs = append(dirs, raw)
				} else {
					dirs = append(dirs, base+"/"+dir)
				}
			}
			path := strings.Join(dirs, ":")
			got, err := FindReal(path, []FileID{identity(t, shim)}, false)
			if tt.want == "" {
				if !errors.Is(err, ErrNoCodex) || status(err) != 127 || len(say.Hints(err)) == 0 {
					t.Errorf("FindReal(%q) = %+v, %v with hints %q, want none", path, got, err, say.Hints(err))
				}
				return
			}
			if err != nil || got.ID != identity(t, tt.want) || identity(t, got.Path) != got.ID {
				t.Errorf("FindReal(%q) = %+v, %v, want %q", path, got, err, tt.want)
			}
		})
	}
}

// What was exec'd already is passed over, however often it comes.
func TestFindRealSkips(t *testing.T) {
	base := t.TempDir()
	shim, wrapper, real := bin(t, base, "a"), bin(t, base, "b"), bin(t, base, "c")
	path := strings.Join([]string{filepath.Dir(shim), filepath.Dir(wrapper), filepath.Dir(real)}, ":")
	for _, tt := range []struct {
		skip []string
		want string
	}{
		{nil, shim},
		{[]string{shim}, wrapper},
		{[]string{shim, wrapper}, real},
		{[]string{wrapper}, shim},
		{[]string{shim, wrapper, real}, ""},
	} {
		var skip []FileID
		for _, file := range tt.skip {
			skip = append(skip, identity(t, file))
		}
		if got, err := FindReal(path, skip, false); got.Path != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("FindReal without %q = %+v, %v, want %q", tt.skip, got, err, tt.want)
		}
	}
}

func TestFindRealDenied(t *testing.T) {
	if os.Geteuid() == 0 {
		return // nothing is denied to root; the suite runs as both
	}
	base := t.TempDir()
	closed, theirs, real := bin(t, base, "closed"), bin(t, base, "theirs"), bin(t, base, "real")
	testhome.NoError(t, errors.Join(os.Chmod(filepath.Dir(closed), 0), os.Chmod(theirs, 0o611)))
	t.Cleanup(func() {
		if err := os.Chmod(filepath.Dir(closed), 0o700); err != nil {
			t.Error(err)
		}
	})
	path := strings.Join([]string{filepath.Dir(closed), filepath.Dir(theirs), filepath.Dir(real)}, ":")
	if got, err := FindReal(path, nil, false); got.Path != real || err != nil {
		t.Errorf("FindReal(%q) = %+v, %v, want %q", path, got, err, real)
	}
}

func TestOnWindowsDrive(t *testing.T) {
	for dir, want := range map[string]bool{
		"/mnt/c": true, "/mnt/c/": true, "/mnt/c/Users/me/bin": true, "/mnt/z/x": true,
		"/mnt": false, "/mnt/": false, "/mnt/wsl": false, "/mnt/wslg/x": false, "/mnt/cc/x": false, "/home/mnt/c": false, "mnt/c": false, "/usr/bin": false,
	} {
		if got := onWindowsDrive(dir); got != want {
			t.Errorf("onWindowsDrive(%q) = %t, want %t", dir, got, want)
		}
	}
}

func TestConfigured(t *testing.T) {
	base := t.TempDir()
	shim, real := bin(t, base, "shim"), bin(t, base, "real")
	link, plain, dangling := filepath.Join(base, "link"), filepath.Join(base, "plain"), filepath.Join(base, "dangling")
	hard := filepath.Join(base, "hard")
	testhome.NoError(t, errors.Join(os.Symlink(shim, link), os.Link(shim, hard), os.WriteFile(plain, nil, 0o644), os.Symlink("gone", dangling)))
	for _, tt := range []struct {
		path   string
		status int // 0 for a good one
	}{
		{real, 0}, {shim, 125}, {link, 125}, {hard, 125}, {plain, 126}, {base, 126}, {plain + "/codex", 126}, {base + "/none", 127}, {dangling, 127},
	} {
		got, err := configured(tt.path, identity(t, shim))
		switch {
		case tt.status == 0 && (err != nil || got.Path != tt.path || got.ID != identity(t, tt.path)):
			t.Errorf("configured(%q) = %+v, %v", tt.path, got, err)
		case tt.status != 0 && (err == nil || status(err) != tt.status || !strings.Contains(err.Error(), tt.path)):
			t.Errorf("configured(%q) = %+v, %v, want the status %d and the path named", tt.path, got, err, tt.status)
		}
	}
}
