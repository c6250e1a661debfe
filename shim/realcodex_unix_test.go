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
func bin(t testing.TB, base, dir string) string {
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
	shim, real, second, third := bin(t, base, "shim"), bin(t, base, "real"), bin(t, base, "second"), bin(t, base, "third")
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
		path []string // below base where not absolute, "=" before what is to stand as it is; "+wrapper" for one that has run
		want string
	}{
		{"behind the shim", []string{"real", "shim", "second", "real"}, second},
		{"nothing behind the shim", []string{"second", "real", "shim", "empty"}, second},
		{"nothing but the shim", []string{"shim", "="}, ""},
		{"the shim, by any name", []string{"shim/", "./shim", "linked", "twice linked", "dir link", "hard", "link to real", "second"}, real},
		{"what is no program", []string{"directory", "to a directory", "plain", "dangling", "loop", "fifo", "empty", "gone", "exe", "real/codex", "real"}, real},
		{"behind a wrapper", []string{"second", "shim", "+real", "link to real", "third"}, third},
		{"before the shim, behind a wrapper", []string{"third", "second", "shim", "+real"}, third},
		{"a wrapper before the shim", []string{"third", "+second", "real", "shim"}, real},
		{"nothing behind a wrapper", []string{"shim", "+real", "real"}, ""},
		{"a wrapper that is elsewhere", []string{"shim", "second", "=+" + real}, second},
		{"what is not absolute", []string{"=" + up, "=.", "=", "=~/bin", "second"}, second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var dirs []string
			var wrapper FileID
			for _, dir := range tt.path {
				if of, ok := strings.CutPrefix(dir, "=+"); ok {
					wrapper = identity(t, of)
					continue
				}
				if of, ok := strings.CutPrefix(dir, "+"); ok {
					dir, wrapper = of, identity(t, base+"/"+of+"/codex")
				}
				if raw, ok := strings.CutPrefix(dir, "="); ok {
					dirs = append(dirs, raw)
				} else {
					dirs = append(dirs, base+"/"+dir)
				}
			}
			path := strings.Join(dirs, ":")
			got, err := new(Invocation).findReal(path, identity(t, shim), wrapper)
			if tt.want == "" {
				if !errors.Is(err, ErrNoCodex) || status(err) != 127 || len(say.Hints(err)) == 0 {
					t.Errorf("findReal(%q) = %+v, %v with hints %q, want none", path, got, err, say.Hints(err))
				}
				return
			}
			if err != nil || got.ID != identity(t, tt.want) || identity(t, got.Path) != got.ID {
				t.Errorf("findReal(%q) = %+v, %v, want %q", path, got, err, tt.want)
			}
		})
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
	testhome.NoError(t, errors.Join(os.Symlink(shim, link), os.Link(shim, hard), os.WriteFile(plain, nil, 0o644),
		os.Symlink("gone", dangling)))
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
