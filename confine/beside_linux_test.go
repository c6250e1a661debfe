package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/config"
	"swop/internal/testhome"
)

// TestBeginWith: a session counts as begun when the first of those began that run beside it and write to the same directories.
func TestBeginWith(t *testing.T) {
	root := t.TempDir()
	src := filepath.Join(root, "src")
	for _, tt := range []struct {
		name    string
		written []string // nil for one that has not noted it yet
		ended   bool
		shared  bool
	}{
		{"same", []string{"/x", src}, false, true},
		{"inside", []string{src + "/in"}, false, true},
		{"around", []string{root}, false, true},
		{"elsewhere", []string{"/x", src + "2"}, false, false},
		{"nothing", []string{}, false, false},
		{"starting", nil, false, true},
		{"ended", []string{src}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			other := filepath.Join(root, "accounts", tt.name, "confined", "jail-1")
			mine := filepath.Join(root, "accounts", "mine", "confined", "jail-"+tt.name)
			now := time.Now()
			for dir, began := range map[string]time.Time{other: now.Add(-time.Hour), mine: now} {
				testhome.PutFile(t, filepath.Join(dir, "lock"), "")
				testhome.NoError(t, os.Chtimes(filepath.Join(dir, "lock"), began, began))
			}
			if tt.written != nil {
				testhome.NoError(t, addLines(filepath.Join(other, writtenFile), tt.written...))
			}
			if !tt.ended {
				l, err := account.Flock(filepath.Join(other, "lock"), unix.LOCK_EX, unix.O_CLOEXEC)
				testhome.NoError(t, err)
				defer l.Release()
			}
			j := Jail{dir: mine, request: Request{Places: config.Places{Root: root}}, scene: Scene{Policy: New(config.ConfineWorkspace, config.Confinement{}, "/home"), Workspace: src}}
			testhome.NoError(t, j.beginWith())
			info, err := os.Stat(filepath.Join(mine, "lock"))
			testhome.NoError(t, err)
			if shared := info.ModTime().Before(now.Add(-time.Minute)); shared != tt.shared {
				t.Errorf("it began %v before", now.Sub(info.ModTime()))
			}
		})
	}
}

// TestNoteGiven: what is looked at afterwards is all of the host that can be written; of it, what was mounted read-only, where a link leads that was there, and
// what the user gave of git's is known.
func TestNoteGiven(t *testing.T) {
	base := newTree(t, map[string]string{
		"home/src/.git": "gitdir: BASE/bare\n", "home/src/a/.git/": "", "home/data/x": "", "home/out/.codex/": "", "home/plain/HEAD": "", "home/plain/refs/": "", "home/plain/objects/": "", "home/plain/mine": "",
		"home/.swop/accounts/work/confined/databases/": "", "home/.codex/": "", "home/bin/": "", "view/": "", "home/other/.git/": "",
	})
	testhome.NoError(t, os.Symlink("../out/.codex", base+"/home/src/.codex"))
	s := sceneAt(base)
	s.Granted = []string{s.Home + "/data", s.Home + "/plain", s.Home + "/other/.git"}
	scope, err := s.Scope()
	testhome.NoError(t, err)
	j := Jail{dir: t.TempDir(), scene: s, scope: scope}
	testhome.NoError(t, j.noteStart())
	for name, want := range map[string]string{
		rootsFile:   "data other/.git plain src src",
		writtenFile: ".swop/accounts/work/confined/databases data other/.git plain src",
		keptFile:    "other/.git out/.codex plain/mine src/.codex -> ../out/.codex src/.git src/a/.git",
	} {
		var list []string
		for _, path := range linesOf(filepath.Join(j.dir, name)) {
			if rest, ok := strings.CutPrefix(path, s.Home+"/"); ok {
				list = append(list, rest)
			}
		}
		slices.Sort(list)
		if name != rootsFile {
			list = slices.Compact(list)
		}
		if got := strings.Join(list, " "); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}
