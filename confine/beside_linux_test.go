package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"swop/account"
	"swop/config"
	"swop/confine/repository"
	"swop/internal/testhome"
)

// TestPassOn: when a session ends, those that write to the same directories count as begun when it did.
func TestPassOn(t *testing.T) {
	root := t.TempDir()
	src := filepath.Join(root, "src")
	r := Request{Places: config.Places{Root: root}, Account: account.Account{Dir: filepath.Join(root, "accounts", "mine")}}
	ended := filepath.Join(r.confined(), "jail-1")
	now := time.Now()
	jail := func(dir string, began time.Time) {
		testhome.PutFile(t, filepath.Join(dir, "lock"), "")
		testhome.NoError(t, os.Chtimes(filepath.Join(dir, "lock"), began, began))
	}
	jail(ended, now.Add(-time.Hour))
	testhome.NoError(t, addLines(filepath.Join(ended, writtenFile), r.own(), src))
	others := map[string]bool{}
	for _, tt := range []struct {
		name    string
		written []string // nil for one that has not noted it yet
		began   time.Duration
		shared  bool
	}{
		{"same", []string{"/x", src}, 0, true},
		{"inside", []string{src + "/in"}, 0, true},
		{"around", []string{root}, 0, true},
		{"elsewhere", []string{r.own(), src + "2"}, 0, false},
		{"nothing", []string{}, 0, false},
		{"starting", nil, 0, true},
		{"older", []string{src}, -2 * time.Hour, false},
	} {
		dir := filepath.Join(root, "accounts", tt.name, "confined", "jail-1")
		jail(dir, now.Add(tt.began))
		if tt.written != nil {
			testhome.NoError(t, addLines(filepath.Join(dir, writtenFile), tt.written...))
		}
		others[dir] = tt.shared
	}
	testhome.NoError(t, r.passOn(ended))
	for dir, shared := range others {
		info, err := os.Stat(filepath.Join(dir, "lock"))
		testhome.NoError(t, err)
		if got := info.ModTime().Equal(now.Add(-time.Hour)); got != shared {
			t.Errorf("%s began %v before", dir, now.Sub(info.ModTime()))
		}
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
		keptFile:    "other/.git out/.codex src/.codex -> ../out/.codex src/.git src/a/.git",
		hadFile:     "plain/mine",
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

// TestLeftTexts: of a repository that was renamed one line says all that is to be renamed back, and of many the first are told.
func TestLeftTexts(t *testing.T) {
	left := []repository.Left{{Path: "/w/.git", Aside: "/w/.git.unchecked-1"}, {Path: "/w/bare/HEAD", Aside: "/w/bare/HEAD.unchecked-1"}, {Path: "/w/.git.unchecked-1/HEAD", Aside: "/w/.git.unchecked-1/HEAD.unchecked-1"}}
	list := leftTexts("/w", left)
	if len(list) != 2 || !strings.Contains(list[0], "renamed it to /w/.git.unchecked-1, and HEAD in it to HEAD.unchecked-1: look") || !strings.Contains(list[1], "renamed it to /w/bare/HEAD.unchecked-1: look") {
		t.Errorf("%q", list)
	}
	for range 30 {
		left = append(left, repository.Left{Path: "/w/x/.codex", Aside: "/w/x/.codex.unchecked-1"})
	}
	if list := leftTexts("/w", left); len(list) != 21 || !strings.Contains(list[20], "renamed 12 more in /w,") {
		t.Errorf("%d: %q", len(list), list[len(list)-1])
	}
}
