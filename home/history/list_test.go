//go:build unix

package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/disk"
	"swop/internal/testhome"
)

// noon is the time of these tests.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// place is a root with versions in it.
type place struct {
	t testing.TB
	account.Layout
}

func newPlace(t testing.TB) place {
	p := place{t, account.Layout{Places: testhome.Places(t)}}
	for _, name := range []string{"kept", "trash", "locks"} {
		p.ok(os.MkdirAll(p.Path(name), 0o700))
	}
	return p
}

func (p place) ok(err error) {
	p.t.Helper()
	testhome.NoError(p.t, err)
}

// keep plants a version of the entry with these files, of a time before noon. It returns its id.
func (p place) keep(ago time.Duration, a About, files ...string) string {
	p.t.Helper()
	a.Time = noon.Add(-ago)
	id := NewID(a.Time)
	dir := p.at(id)
	p.ok(os.MkdirAll(filepath.Join(dir, FilesDir), 0o700))
	for _, name := range files {
		testhome.PutFile(p.t, filepath.Join(dir, FilesDir, name), "# "+name+"\n")
	}
	d, err := disk.Open(dir, disk.NoFollow)
	p.ok(err)
	p.ok(errors.Join(WriteAbout(d, a), d.Close()))
	return id
}

// at is where the version with the id is.
func (p place) at(id string) string { return filepath.Join(p.Path(RootDir), id) }

func (p place) list() []Version {
	p.t.Helper()
	list, err := List(p.Layout)
	p.ok(err)
	return list
}

// show returns the versions in a short form.
func show(list []Version) []string {
	var lines []string
	for _, v := range list {
		lines = append(lines, fmt.Sprintf("%s %q %d %q %d %v", v.View, v.Path, v.Number, v.Files, v.Size, v.Regular))
	}
	return lines
}

func wantLines(t testing.TB, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func entry(view, path string) About {
	return About{View: view, Path: path, Account: "work", Why: Replaced}
}

func TestList(t *testing.T) {
	p := newPlace(t)
	long := strings.Repeat("n", 255)
	p.keep(5*time.Hour, entry(CodexView, "config.toml"), "config.toml")
	p.keep(4*time.Hour, entry(HomeView, "config.toml"), "config.toml")
	p.keep(3*time.Hour, entry(CodexView, "config.toml"), "config.toml")
	p.keep(2*time.Hour, entry(CodexView, "a.sqlite"), "a.sqlite-wal", "a.sqlite", "a.sqlite-shm")
	p.keep(time.Hour, entry(HomeView, "proj"), "proj/a", "proj/deep/b")
	p.keep(time.Minute, entry(HomeView, "line\nbreak\xff"), "line\nbreak\xff")
	p.keep(time.Second, entry(CodexView, "sessions/2026/"+long), long)
	wantLines(t, show(p.list()), []string{
		fmt.Sprintf("codex %q 1 [%q] 258 true", "sessions/2026/"+long, long),
		`home "line\nbreak\xff" 1 ["line\nbreak\xff"] 14 true`,
		`home "proj" 1 ["proj"] 23 false`,
		`codex "a.sqlite" 1 ["a.sqlite" "a.sqlite-shm" "a.sqlite-wal"] 41 true`,
		`codex "config.toml" 1 ["config.toml"] 14 true`,
		`home "config.toml" 1 ["config.toml"] 14 true`,
		`codex "config.toml" 2 ["config.toml"] 14 true`,
	})
}

func TestListWithoutRoot(t *testing.T) {
	p := newPlace(t)
	p.ok(os.RemoveAll(p.Root))
	if list := p.list(); list != nil {
		t.Errorf("List without a root = %v", list)
	}
}

// What is damaged is shown, what is not ours is not.
func TestListDamaged(t *testing.T) {
	p := newPlace(t)
	without := func(name string, ago time.Duration) {
		p.ok(os.RemoveAll(filepath.Join(p.at(p.keep(ago, entry(HomeView, "x"), "x", "x-wal")), name)))
	}
	damaged := func(text string) {
		p.ok(os.WriteFile(filepath.Join(p.at(p.keep(2*time.Hour, entry(HomeView, "x"), "x")), AboutFile), []byte(text), 0o600))
	}
	without(FilesDir, time.Hour)
	without(AboutFile, time.Hour+1)
	damaged("")
	damaged(`{"schema_version":2,"view":"home","path":"\"x\""}`)
	for _, path := range []string{"../x", "/etc/passwd", "", ".", "a/../b", "a/", "a\x00b"} {
		damaged(fmt.Sprintf(`{"schema_version":1,"view":"home","path":%q}`, fmt.Sprintf("%q", path)))
	}
	damaged(`{"schema_version":1,"view":"other","path":"\"x\""}`)
	p.ok(os.WriteFile(p.at(NewID(noon.Add(-3*time.Hour))), []byte("file"), 0o600))
	p.ok(unix.Mkfifo(p.at(NewID(noon.Add(-4*time.Hour))), 0o600))
	p.ok(os.Symlink("/etc", p.at(NewID(noon.Add(-5*time.Hour)))))
	fifo := p.keep(6*time.Hour, entry(HomeView, "pipe"))
	p.ok(unix.Mkfifo(filepath.Join(p.at(fifo), FilesDir, "pipe"), 0o600))
	for _, name := range []string{"notes", "20260301T120000.000000000Z", "20260301T120000.000000000Z-short", ".x-" + disk.RandomName()} {
		p.ok(os.Mkdir(p.at(name), 0o700))
	}
	var want []string
	for n, files := range []string{"[] 0 false", `["x" "x-wal"] 12 true`} {
		want = append(want, fmt.Sprintf(` "?" %d %s`, n+1, files))
	}
	for n := 3; n <= 12; n++ {
		want = append(want, fmt.Sprintf(` "?" %d ["x"] 4 true`, n))
	}
	for n := 13; n <= 15; n++ {
		want = append(want, fmt.Sprintf(` "?" %d [] 0 false`, n))
	}
	wantLines(t, show(p.list()), append(want, `home "pipe" 1 ["pipe"] 0 false`))
}
