//go:build unix

package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/internal/testhome"
)

func (p place) root() account.Root {
	return account.Root{SharedHome: account.SharedHome{Path: filepath.Join(p.Home, ".codex")}}
}

func (p place) write(name, text string) {
	p.t.Helper()
	testhome.PutFile(p.t, filepath.Join(p.Home, name), text)
}

// homes returns what is in the shared homes, except for swop's root, and what is kept: paths with contents.
func (p place) homes() (home, kept []string) {
	p.t.Helper()
	texts := func(dir string) (lines []string) {
		p.ok(filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if path == p.Root {
				return fs.SkipDir
			}
			p.ok(err)
			if entry.Type().IsRegular() && entry.Name() != AboutFile {
				text, err := os.ReadFile(path)
				p.ok(err)
				_, name, found := strings.Cut(path, "/"+FilesDir+"/")
				if !found {
					name = strings.TrimPrefix(path, dir+"/")
				}
				lines = append(lines, fmt.Sprintf("%s: %s", name, strings.TrimSpace(string(text))))
			}
			return nil
		}))
		slices.Sort(lines)
		return lines
	}
	return texts(p.Home), texts(p.Path(RootDir))
}

func (p place) wantHomes(home, kept []string) {
	p.t.Helper()
	gotHome, gotKept := p.homes()
	wantLines(p.t, gotHome, home)
	wantLines(p.t, gotKept, kept)
	if left, _ := filepath.Glob(p.at(".*")); len(left) > 0 {
		p.t.Errorf("left are %q", left)
	}
}

// restore restores a version while no account is in use, and returns how what it replaced is described.
func (p place) restore(v Version) (About, error) {
	id, err := Restore(p.Layout, p.root(), v, noon, func() error { return nil })
	for _, v := range p.list() {
		if v.ID == id {
			return v.About, err
		}
	}
	return About{}, err
}

func TestRestore(t *testing.T) {
	restored := func(a About) About { return About{View: a.View, Path: a.Path, Time: noon, Why: Restored} }
	for _, tt := range []struct {
		name       string
		version    About
		files      []string
		present    map[string]string
		home, kept []string // afterwards; of a database that was restored, the version stays
	}{
		{"replace", entry(CodexView, "a.md"), []string{"a.md"}, map[string]string{".codex/a.md": "new"}, []string{".codex/a.md: # a.md"}, []string{"a.md: new"}},
		{"in HOME", entry(HomeView, "a.md"), []string{"a.md"}, map[string]string{"a.md": "new"}, []string{"a.md: # a.md"}, []string{"a.md: new"}},
		{"nothing there", entry(CodexView, "a.md"), []string{"a.md"}, nil, []string{".codex/a.md: # a.md"}, nil},
		{"below a directory", entry(CodexView, "s/2026/x"), []string{"x"}, map[string]string{".codex/s/2026/x": "new"}, []string{".codex/s/2026/x: # x"}, []string{"x: new"}},
		{"below no directory", entry(CodexView, "s/2026/x"), []string{"x"}, nil, []string{".codex/s/2026/x: # x"}, nil},
		{
			"directory", entry(HomeView, "proj"),
			[]string{"proj/a", "proj/b/c"},
			map[string]string{"proj/a": "new", "proj/d": "new"},
			[]string{"proj/a: # proj/a", "proj/b/c: # proj/b/c"},
			[]string{"proj/a: new", "proj/d: new"},
		},
		{"directory over a file", entry(HomeView, "proj"), []string{"proj/a"}, map[string]string{"proj": "new"}, []string{"proj/a: # proj/a"}, []string{"proj: new"}},
		{
			"database", entry(CodexView, "a.db"),
			[]string{"a.db", "a.db-wal"},
			map[string]string{".codex/a.db": "SQLite format 3\x00", ".codex/a.db-wal": "new", ".codex/a.db-shm": ""},
			[]string{".codex/a.db-wal: # a.db-wal", ".codex/a.db: # a.db"},
			[]string{"a.db-shm: ", "a.db-wal: # a.db-wal", "a.db-wal: new", "a.db: # a.db", "a.db: SQLite format 3\x00"},
		},
		{"database, nothing there", entry(HomeView, "a"), []string{"a", "a-wal"}, nil, []string{"a-wal: # a-wal", "a: # a"}, []string{"a-wal: # a-wal", "a: # a"}},
		{
			"beside a log", entry(HomeView, "a"),
			[]string{"a"},
			map[string]string{"a-wal": "\x37\x7f\x06\x82 stray"},
			[]string{"a: # a"},
			[]string{"a-wal: \x37\x7f\x06\x82 stray", "a: # a"},
		},
		{
			"beside a file with a log's name", entry(HomeView, "a"),
			[]string{"a"},
			map[string]string{"a": "new", "a-wal": "mine"},
			[]string{"a-wal: mine", "a: # a"},
			[]string{"a: new"},
		},
		{
			"beside a directory with a log's name", entry(HomeView, "a"),
			[]string{"a"},
			map[string]string{"a": "new", "a-wal/x": "mine"},
			[]string{"a-wal/x: mine", "a: # a"},
			[]string{"a: new"},
		},
		{"name", entry(HomeView, "n\n\xff"), []string{"n\n\xff"}, map[string]string{"n\n\xff": "new"}, []string{"n\n\xff: # n\n\xff"}, []string{"n\n\xff: new"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			p.keep(hour, tt.version, tt.files...)
			if len(tt.files) > 1 && tt.version.Path != "proj" && tt.present != nil {
				p.ok(os.MkdirAll(p.at(unfinished+"x/files/a"), 0o700)) // of a killed run
			}
			for name, text := range tt.present {
				p.write(name, text)
			}
			about, err := p.restore(p.list()[0])
			testhome.NoError(t, err)
			if want := restored(tt.version); len(tt.present) > 0 && about != want {
				t.Errorf("what was replaced is %+v, want %+v", about, want)
			}
			p.wantHomes(tt.home, tt.kept)
		})
	}
}

// Of two that restore the same version, one does, and the other one changes nothing.
func TestRestoreTwice(t *testing.T) {
	p := newPlace(t)
	p.keep(hour, entry(CodexView, "a.md"), "a.md")
	p.write(".codex/a.md", "new")
	v := p.list()[0]
	errs := make(chan error)
	for range 2 {
		go func() {
			_, err := Restore(p.Layout, p.root(), v, noon, nil)
			errs <- err
		}()
	}
	if first, second := <-errs, <-errs; (first == nil) == (second == nil) || !errors.Is(errors.Join(first, second), ErrGone) {
		t.Errorf("the two restores give %v, %v, want one ErrGone", first, second)
	}
	p.wantHomes([]string{".codex/a.md: # a.md"}, []string{"a.md: new"})
}

// What cannot be restored changes nothing.
func TestRestoreRefused(t *testing.T) {
	busy := errors.New("busy")
	for _, tt := range []struct {
		name    string
		version About
		files   []string
		spoil   func(p place, v *Version)
		want    string
	}{
		{"unknown", entry(HomeView, "a"), []string{"a"}, func(_ place, v *Version) { v.Path = Unknown }, "cannot tell where it belongs"},
		{"in use", entry(HomeView, "a"), []string{"a", "a-wal"}, func(place, *Version) {}, "busy"},
		{"pruned", entry(HomeView, "a"), []string{"a"}, func(p place, v *Version) { p.ok(os.Rename(p.at(v.ID), p.at("gone"))) }, ErrGone.Error()},
		{"below a link", entry(HomeView, "dir/a"), []string{"a"}, func(p place, _ *Version) { p.ok(os.Symlink("/etc", p.Home+"/dir")) }, "dir"},
		{"no codex home", entry(HomeView, "a"), []string{"a"}, func(p place, _ *Version) { p.ok(os.RemoveAll(p.Home + "/.codex")) }, "no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			p.keep(hour, tt.version, tt.files...)
			p.write("a", "new")
			v := p.list()[0]
			tt.spoil(p, &v)
			home, kept := p.homes()
			_, err := Restore(p.Layout, p.root(), v, noon, func() error { return busy })
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Restore gives %v, want an error with %q", err, tt.want)
			}
			p.wantHomes(home, kept)
		})
	}
}

// Where the entry cannot be renamed, the version is again what it was.
func TestRestoreImmutable(t *testing.T) {
	p := newPlace(t)
	p.keep(hour, entry(CodexView, "a.md"), "a.md")
	p.write(".codex/a.md", "new")
	file := p.root().SharedHome.Path + "/a.md"
	if out, err := exec.Command("chattr", "+i", file).CombinedOutput(); err != nil {
		t.Logf("no file can be made immutable here: %s", out)
		return
	}
	t.Cleanup(func() { p.ok(exec.Command("chattr", "-i", file).Run()) })
	before := p.list()
	if _, err := p.restore(before[0]); !errors.Is(err, unix.EPERM) {
		t.Errorf("Restore over an immutable file gives %v", err)
	}
	if after := p.list(); after[0].ID != before[0].ID || after[0].About != before[0].About {
		t.Errorf("the version was %+v, and is %+v", before[0], after[0])
	}
	p.wantHomes([]string{".codex/a.md: new"}, []string{"a.md: # a.md"})
}

// On another file system than swop's root, what is restored is copied.
func TestRestoreAcrossDevices(t *testing.T) {
	p := newPlace(t)
	p.Home = t.TempDir()
	p.ok(os.Mkdir(p.Home+"/.codex", 0o700))
	p.keep(hour, entry(CodexView, "dir"), "dir/a")
	p.keep(2*hour, entry(CodexView, "file"), "file")
	p.write(".codex/file", "new")
	for _, v := range p.list() {
		if _, err := p.restore(v); err != nil {
			t.Error(err)
		}
	}
	home, kept := p.homes()
	wantLines(t, home, []string{".codex/dir/a: # dir/a", ".codex/file: # file"})
	if !slices.Contains(kept, "file: new") {
		t.Errorf("kept are %q, without what was replaced", kept)
	}
}

func TestCopyTo(t *testing.T) {
	p := newPlace(t)
	out := t.TempDir()
	list := func() (names []string) {
		entries, err := os.ReadDir(out)
		p.ok(err)
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return names
	}
	p.keep(hour, entry(HomeView, "a"), "a", "a-wal")
	v := p.list()[0]
	p.ok(os.WriteFile(out+"/x-wal", nil, 0o600))
	if err := v.CopyTo(p.Layout, out+"/x"); err == nil || !strings.Contains(err.Error(), "x-wal: exists already") {
		t.Errorf("CopyTo beside a file of that name gives %v", err)
	}
	wantLines(t, list(), []string{"x-wal"})
	p.ok(v.CopyTo(p.Layout, out+"/y"))
	wantLines(t, list(), []string{"x-wal", "y", "y-wal"})
	p.ok(os.Remove(p.at(v.ID) + "/" + AboutFile))
	unknown := p.list()[0]
	p.ok(unknown.CopyTo(p.Layout, out+"/z"))
	wantLines(t, list(), []string{"x-wal", "y", "y-wal", "z", "z-wal"})
	fifo := p.keep(2*hour, entry(HomeView, "pipe"))
	p.ok(unix.Mkfifo(filepath.Join(p.at(fifo), FilesDir, "pipe"), 0o600))
	if err := p.list()[1].CopyTo(p.Layout, out+"/pipe"); err == nil || testhome.Exists(out+"/pipe") {
		t.Errorf("CopyTo of a FIFO gives %v", err)
	}
}

// What is restored counts as new.
func TestRestoreTime(t *testing.T) {
	p := newPlace(t)
	id := p.keep(hour, entry(HomeView, "a"), "a")
	old := time.Unix(0, 0)
	p.ok(os.Chtimes(filepath.Join(p.at(id), FilesDir, "a"), old, old))
	_, err := p.restore(p.list()[0])
	p.ok(err)
	if info, err := os.Stat(p.Home + "/a"); err != nil || !info.ModTime().Equal(noon) {
		t.Errorf("the file was written at %v: %v", info.ModTime(), err)
	}
}
