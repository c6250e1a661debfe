//go:build unix

package manager

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/config"
)

const plainRoot = `{"schema_version":1,"shared_home":{"path":"/home/me/.codex","device":18446744073709551615,"inode":7},"config":"/c"}`

func TestParseRoot(t *testing.T) {
	r, err := parseRoot([]byte(strings.Replace(plainRoot, "{", `{"future":123456789012345678901,`, 1)))
	if want := (SharedHome{"/home/me/.codex", 1<<64 - 1, 7}); err != nil || r.SharedHome != want || r.Config != "/c" {
		t.Errorf("parseRoot = %+v, %v", r, err)
	}
	text, err := r.text()
	if err != nil || !strings.Contains(string(text), `"future":123456789012345678901`) {
		t.Errorf("text() = %s, %v, and the future is lost", text, err)
	}
	if again, err := parseRoot(text); err != nil || again.SharedHome != r.SharedHome || again.Config != r.Config {
		t.Errorf("parseRoot(text()) = %+v, %v, want %+v", again, err, r)
	}
	for _, tt := range []struct{ from, to, want string }{
		{`"schema_version":1`, `"schema_version":2`, "schema_version is 2, this swop knows 1"},
		{`"schema_version":1,`, "", "schema_version is missing"},
		{"/home/me/.codex", "me/.codex", `shared_home.path "me/.codex" is not an absolute path`},
		{"/home/me/.codex", "", `shared_home.path "" is not`},
		{"18446744073709551615", "-1", "cannot unmarshal"},
		{"18446744073709551615", "18446744073709551616", "cannot unmarshal"},
		{"}", "", "unexpected end"},
	} {
		if r, err := parseRoot([]byte(strings.Replace(plainRoot, tt.from, tt.to, 1))); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("parseRoot with %s for %s = %+v, %v, want an error with %q", tt.to, tt.from, r, err, tt.want)
		}
	}
}

func TestReadRootRefuses(t *testing.T) {
	dir := filepath.Dir(testStore(t).Home)
	file := filepath.Join(dir, "root.json")
	if _, err := ReadRoot(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadRoot without one = %v", err)
	}
	for name, make := range map[string]func() error{
		"link":      func() error { return os.Symlink(putFile(t, filepath.Join(dir, "real"), plainRoot), file) },
		"directory": func() error { return os.Mkdir(file, 0o700) },
		"FIFO":      func() error { return unix.Mkfifo(file, 0o600) },
		"garbage":   func() error { return os.WriteFile(file, []byte("x"), 0o600) },
		"huge":      func() error { return os.WriteFile(file, []byte(plainRoot+strings.Repeat(" ", maxJSON)), 0o600) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
		if r, err := ReadRoot(dir); err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), file) {
			t.Errorf("ReadRoot of a %s = %+v, %v, want an error that names it", name, r, err)
		}
		if err := os.RemoveAll(file); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRootCheck(t *testing.T) {
	s := testStore(t)
	home := filepath.Join(s.Home, ".codex")
	var st unix.Stat_t
	if err := unix.Stat(home, &st); err != nil {
		t.Fatal(err)
	}
	dev, ino := uint64(st.Dev), uint64(st.Ino)
	link := symlink(t, home, filepath.Join(s.Home, "link"))
	dangling := symlink(t, "gone", filepath.Join(s.Home, "dangling"))
	file := putFile(t, filepath.Join(s.Home, "file"), "")
	for _, tt := range []struct {
		name string
		home SharedHome
		want string
	}{
		{"as recorded", SharedHome{home, dev, ino}, ""},
		{"through a link", SharedHome{link, dev, ino}, ""},
		{"other device after a restart", SharedHome{home, dev + 1, ino}, ""},
		{"other inode after a restore", SharedHome{home, dev, ino + 1}, ""},
		{"another directory", SharedHome{home, dev + 1, ino + 1}, "lies on another device"},
		{"missing", SharedHome{home + "x", dev, ino}, "cannot be read: no such file"},
		{"dangling", SharedHome{dangling, dev, ino}, "cannot be read: no such file"},
		{"below a file", SharedHome{file + "/x", dev, ino}, "cannot be read: not a directory"},
		{"a file", SharedHome{file, dev, ino}, "is not a directory"},
	} {
		err := Root{SharedHome: tt.home}.Check()
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: check() = %v", tt.name, err)
			}
			continue
		}
		if !errors.Is(err, ErrUnsafe) || !strings.Contains(err.Error(), tt.want) || len(config.Hints(err)) != 1 {
			t.Errorf("%s: check() = %v with hints %q, want a refusal with %q and one hint", tt.name, err, config.Hints(err), tt.want)
		}
	}
}

// The shared home is the one of the first use, whatever CODEX_HOME is later.
func TestRootIsFixed(t *testing.T) {
	s := testStore(t)
	first := filepath.Join(s.Home, "first")
	n := s.testNew("a")
	n.SharedHome = first
	if _, err := s.Create(n); err != nil {
		t.Fatal(err)
	}
	testAccountOf(t, s, "b")
	r, err := ReadRoot(s.Root)
	if err != nil || r.SharedHome.Path != first || r.Config != s.Config {
		t.Errorf("ReadRoot = %+v, %v, want %s and %s", r, err, first, s.Config)
	}
	if info, err := os.Stat(first); err != nil || info.Mode() != fs.ModeDir|0o700 {
		t.Errorf("the shared home was made with %v, %v, want 0700", info.Mode(), err)
	}
}

// What is projected must not contain itself, in whatever way HOME is written.
func TestHomeWithoutRoot(t *testing.T) {
	for _, tt := range []struct {
		name, home string // below the base, where "home" is the home and "link" leads to it
		root       string
	}{
		{"as it is", "home", "home/.swop"},
		{"slash at the end", "home/", "home/.swop"},
		{"two slashes", "home//", "home/.swop"},
		{"through a link", "link", "link/.swop"},
		{"through a link, the root not", "link", "home/.swop"},
		{"root of another name", "home", "home/accounts of swop"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := testStore(t)
			base := filepath.Dir(s.Home)
			symlink(t, "home", filepath.Join(base, "link"))
			places, err := config.Locate(config.Env{"HOME=" + base + "/" + tt.home, "SWOP_ROOT=" + base + "/" + tt.root}, nil)
			if err != nil {
				t.Fatal(err)
			}
			s = Store{places}
			a := testAccountOf(t, s, "work")
			root, err := ReadRoot(s.Root)
			if err != nil {
				t.Fatal(err)
			}
			putFile(t, filepath.Join(s.Home, "notes"), "x")
			reconcile(t, s, a, root)
			entries, err := os.ReadDir(a.Home())
			for _, entry := range entries {
				if name := entry.Name(); name != "notes" && name != ".codex" {
					t.Errorf("the sandbox home has %s", name)
				}
			}
			if len(entries) != 2 || err != nil {
				t.Errorf("the sandbox home holds %v, %v", entries, err)
			}
			if err := os.Remove(filepath.Join(s.Home, "notes")); err != nil {
				t.Fatal(err)
			}
			reconcile(t, s, a, root)
			if target, err := os.Readlink(filepath.Join(a.Home(), "notes")); err == nil {
				t.Errorf("the link to %s outlives what it led to", target)
			}
		})
	}
}

// reconcile makes a sandbox whole in which a program may still run, and returns what was said.
func reconcile(t *testing.T, s Store, a Account, root Root) string {
	t.Helper()
	var said []string
	err := s.Reconcile(a, root, config.Settings{Isolation: config.IsolateHome}, Quiet{}, func(line string) { said = append(said, line) })
	if err != nil {
		t.Fatalf("Reconcile failed: %v", err)
	}
	return strings.Join(said, "\n")
}
