package mirror

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/account/login"
	"swop/home/pinned"
	"swop/home/takeover"
	"swop/internal/testhome"
)

// writing is something that acts in a sandbox, and is to act nowhere else.
type writing struct {
	name string
	set  string // a script that prepares the sandbox
	act  func(w *testWorld, a account.Account) error
	// swapped are the entries that a program swaps for links: below the sandbox, or "shared/" and the name of one in the shared home.
	swapped []string
}

var writings = []writing{
	{
		name: "reconcile",
		set: `put $shared/notes shared; put $own/new new; put $own/config.toml newer; put $shared/config.toml older; put $own/sessions/d/file x
			put $shared/sessions/d/file y; put $own/dir/deep/file x; symlink $own/notes $own/dir/link; put $own/conf/both own; put $shared/conf/both shared
			mkdir $root/accounts/a/moving`,
		act: func(w *testWorld, _ account.Account) error { return w.reconcile("a", noProcesses) },
		swapped: []string{
			"home", "home/.codex", "home/.codex/sessions", "home/.codex/sessions/d", "home/.codex/dir", "home/.codex/dir/deep", "home/.codex/skills", "home/.codex/conf",
			"shared/skills", "moving", "../../kept",
		},
	},
	{
		name:    "meta.json",
		act:     func(w *testWorld, a account.Account) error { return w.store.Finish(a) },
		swapped: []string{"meta.json"},
	},
	{
		name:    "the pinned names",
		act:     func(_ *testWorld, a account.Account) error { return new(pinned.Names).Write(a) },
		swapped: []string{"pinned"},
	},
	{
		name: "a login that is moved in",
		set:  `put $home/auth.json login`,
		act: func(w *testWorld, a account.Account) error {
			return login.MoveLogin(a, filepath.Join(w.home, "auth.json"))
		},
		swapped: []string{"home", "home/.codex", "home/.codex/auth.json"},
	},
	{
		name: "transcripts that are kept",
		set:  `put $own/sessions/file x`,
		act: func(w *testWorld, a account.Account) error {
			return w.store.KeepTranscripts(a, []string{"sessions"}, filepath.Join(w.home, "keep"))
		},
		swapped: []string{"home", "home/.codex", "home/.codex/sessions"},
	},
	{
		name: "a codex home that is taken over",
		set:  `put $home/old/auth.json login; put $home/old/history.jsonl x`,
		act: func(w *testWorld, a account.Account) error {
			_, err := takeover.Take(w.store, a, filepath.Join(w.home, "old"))
			return err
		},
		swapped: []string{"home", "home/.codex", "home/.codex/auth.json", "home/.codex/history.jsonl"},
	},
	{ // with directories that must be made accessible before they can be removed: those outside must not
		name:    "remove",
		set:     `put $box/a/file x; put $box/a/b/file x; put $box/a/b/c/file x; chmod 500 $box/a/b; chmod 500 $box/a`,
		act:     func(w *testWorld, a account.Account) error { return w.store.Delete(a, "") },
		swapped: []string{"home", "home/a", "home/a/b", "home/a/b/c"},
	},
}

// swapAt does it while a program swaps the entry, before call at, for a link to an outside copy of it. It returns the calls before which a swap
// can make a difference, and whether it was made: a swap before a call about other files is as one before the next that is about the entry.
func (wr writing) swapAt(t *testing.T, s *stepper, entry string, at int) (calls []int, met bool) {
	dir, err := os.MkdirTemp(testhome.Scratch(t), "")
	testhome.NoError(t, err)
	w := newWorld(t, dir, "a")
	a := w.accounts["a"]
	testhome.NoError(t, w.store.WriteMeta(a))
	w.do(wr.set)
	place, outside := filepath.Join(a.Dir, entry), filepath.Join(dir, "outside")
	if name, ok := strings.CutPrefix(entry, "shared/"); ok {
		place = filepath.Join(w.shared, name)
		testhome.NoError(t, os.Mkdir(place, 0o700)) // for setSame
	}
	testhome.NoError(t, os.Mkdir(outside, 0o750))
	setSame(t, place, filepath.Join(outside, "same"))
	if strings.HasPrefix(entry, "shared/") {
		testhome.NoError(t, os.Remove(place))
	}
	before := testhome.Tree(t, outside)
	_, _ = s.run(func() error { return wr.act(w, a) }, func(n int, _ string) unix.Errno { // a swap may make it fail
		if at < 0 && slices.ContainsFunc(s.paths(), func(path string) bool { return related(path, w.placeNow(place)) }) {
			calls = append(calls, n)
		}
		if n == at && (testhome.Exists(place) || !strings.HasPrefix(entry, "shared/")) { // what is to be made is swapped after
			met = swapForLink(t, w.placeNow(place), filepath.Join(dir, "parked"), filepath.Join(outside, "same"))
		}
		return 0
	})
	if after := testhome.Tree(t, outside); after != before {
		t.Fatalf("%s swapped before call %d: outside changed from\n%s\nto\n%s\nafter %q", entry, at, before, after, s.log)
	}
	return calls, met
}

// related reports whether one of two paths leads through the other.
func related(path, place string) bool {
	return path != "" && (strings.HasPrefix(path+"/", place+"/") || strings.HasPrefix(place+"/", path+"/"))
}

// placeNow returns where an entry of the sandbox is now, which may be in the trash.
func (w *testWorld) placeNow(place string) string {
	trashed, err := filepath.Glob(filepath.Join(w.store.Path("trash"), "a-*"))
	testhome.NoError(w.t, err)
	if rest, ok := strings.CutPrefix(place, w.accounts["a"].Dir); ok && len(trashed) == 1 {
		return trashed[0] + rest
	}
	return place
}

// setSame makes outside what a program that follows the link would take for the sandbox's own.
func setSame(t *testing.T, place, outside string) {
	info, err := os.Lstat(place)
	if err != nil || !info.IsDir() {
		testhome.PutText(t, outside, "precious")
		testhome.NoError(t, os.Chmod(outside, 0o640))
		return
	}
	testhome.NoError(t, os.CopyFS(outside, os.DirFS(place)))
	var dirs []string
	testhome.NoError(t, filepath.WalkDir(outside, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			dirs = append(dirs, path)
		}
		return err
	}))
	for _, dir := range slices.Backward(dirs) {
		mode := fs.FileMode(0o750)
		if slices.Contains([]string{"a", "b"}, filepath.Base(dir)) { // see the writing "remove"
			mode = 0o550
			t.Cleanup(func() { testhome.NoError(t, os.Chmod(dir, 0o700)) })
		}
		testhome.NoError(t, os.Chmod(dir, mode))
	}
}

// swapForLink puts a link in the place of an entry, which need not be there yet. An ordinary user must be able to write to a directory that is
// moved.
func swapForLink(t *testing.T, place, parked, outside string) bool {
	info, err := os.Lstat(place)
	if _, gone := os.Stat(filepath.Dir(place)); gone != nil || err == nil && info.Mode()&os.ModeSymlink != 0 {
		return false
	}
	testhome.NoError(t, os.Chmod(filepath.Dir(place), 0o700))
	if err == nil && info.IsDir() {
		testhome.NoError(t, os.Chmod(place, 0o700))
	}
	if err == nil {
		testhome.NoError(t, os.Rename(place, parked))
	}
	testhome.NoError(t, os.Symlink(outside, place))
	return true
}

// A program swaps an entry of a sandbox for a link between a check and a use, before every single call that can meet it: nothing is written or removed outside.
func TestTrapSwappedWrites(t *testing.T) {
	s := newStepper(t)
	for _, wr := range writings {
		for _, entry := range wr.swapped {
			t.Run(fmt.Sprintf("%s/%s", wr.name, entry), func(t *testing.T) {
				swaps := 0
				calls, _ := wr.swapAt(t, s, entry, -1)
				for n, step := testhome.Points(t, 16); n < len(calls); n += step {
					if _, met := wr.swapAt(t, s, entry, calls[n]); met {
						swaps++
					}
				}
				if swaps == 0 && !testing.Short() { // else the few points that are tried may be those at which it cannot act
					t.Error("the program never acted")
				}
				t.Logf("%d swaps, %d calls", swaps, len(calls))
			})
		}
	}
}
