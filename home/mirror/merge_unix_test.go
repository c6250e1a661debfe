//go:build unix

package mirror

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"swop/internal/testhome"
)

// Two accounts make a directory of the same name while none sees the other's. Where no file is on both sides, they become one.
func TestEngineNewDirectories(t *testing.T) {
	for name, c := range map[string]struct {
		a, b   []string
		linked bool // the directory was there before, and both replaced their link
		want   []string
	}{
		"other files":        {[]string{"a/file"}, []string{"b/file"}, false, []string{"conf/a/file = a", "conf/b/file = b"}},
		"in one directory":   {[]string{"d/a"}, []string{"d/b"}, false, []string{"conf/d/a = a", "conf/d/b = b"}},
		"the same file":      {[]string{"file", "one"}, []string{"file", "two"}, false, []string{"conf/file = a", "conf/one = a"}},
		"a file, a dir":      {[]string{"x/a"}, []string{"x"}, false, []string{"conf/x/a = a"}},
		"a log's database":   {[]string{"x.db"}, []string{"x.db-wal"}, false, []string{"conf/x.db = a"}},
		"a database's log":   {[]string{"x.db-wal"}, []string{"x.db"}, false, []string{"conf/x.db-wal = " + logHeader + "a"}},
		"a log by name only": {[]string{"x.db"}, []string{"x.db-shm"}, false, []string{"conf/x.db = a", "conf/x.db-shm = b"}},
		"that replaced ours": {[]string{"a"}, []string{"b"}, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, testhome.Scratch(t), "a", "b")
			if c.linked {
				testhome.NoError(t, os.Mkdir(filepath.Join(w.shared, "conf"), 0o700))
			}
			testhome.Tick(t)
			for _, key := range w.keys() {
				testhome.NoError(t, w.reconcile(key, noProcesses))
			}
			for key, files := range map[string][]string{"a": c.a, "b": c.b} {
				testhome.NoError(t, os.RemoveAll(filepath.Join(w.codex(key), "conf")))
				for _, file := range files {
					path := filepath.Join(w.codex(key), "conf", file)
					testhome.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
					text := key
					if strings.HasSuffix(file, "-wal") {
						text = logHeader + key
					}
					testhome.PutText(t, path, text)
				}
			}
			testhome.NoError(t, w.settle())
			got := slices.DeleteFunc(w.tree(w.shared), func(line string) bool { return line == "sessions/" || line == "skills/" })
			if want := c.want; want != nil && !slices.Equal(got, want) || c.linked && !slices.Equal(got, []string{"conf/"}) {
				t.Errorf("the shared home has %q, want %q", got, want)
			}
			if len(w.said) != len(w.versions()) {
				t.Errorf("said is %q of %q", w.said, w.versions())
			}
		})
	}
}

// What is merged keeps the permissions of its directories; those that their owner may not write become writable.
func TestEngineNewDirectoriesModes(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a", "b")
	for _, key := range w.keys() {
		testhome.NoError(t, w.reconcile(key, noProcesses))
	}
	testhome.PutFile(t, filepath.Join(w.codex("a"), "conf", "file"), "a")
	want := map[string]os.FileMode{"open": 0o755, "open/closed": 0o555, "group": 0o775 | os.ModeSetgid}
	for dir, mode := range want {
		path := filepath.Join(w.codex("b"), "conf", dir)
		testhome.PutFile(t, filepath.Join(path, "file"), dir)
		testhome.NoError(t, os.Chmod(path, mode))
	}
	testhome.NoError(t, w.settle())
	for dir, mode := range want {
		path := filepath.Join(w.shared, "conf", dir)
		wantText(t, filepath.Join(path, "file"), dir)
		if info, err := os.Stat(path); err != nil || info.Mode() != mode|os.ModeDir|0o700 {
			t.Errorf("%s has mode %v (%v), want %v", dir, info.Mode(), err, mode|0o700)
		}
	}
}

// versions lists what is kept.
func (w *testWorld) versions() []string {
	list, err := filepath.Glob(filepath.Join(w.kept(), "*"))
	testhome.NoError(w.t, err)
	return list
}
