package mirror

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/account/login"
	"swop/account/store"
	"swop/home/pinned"
	"swop/home/takeover"
	"swop/internal/testhome"
)

// writing is something that acts in a sandbox, and is to act nowhere else.
type writing struct {
	name string
	// set prepares the sandbox.
	set func(t *testing.T, w *testWorld)
	act func(w *testWorld, a account.Account) error
	// swapped are the entries that a program swaps for links: below the sandbox, or "shared/" and the name of one in the shared home.
	swapped []string
}

var writings = []writing{
	{
		name: "reconcile",
		set: func(t *testing.T, w *testWorld) {
			testhome.PutText(t, filepath.Join(w.shared, "notes"), "shared")
			testhome.PutText(t, filepath.Join(w.codex("a"), "new"), "new")
			testhome.PutText(t, filepath.Join(w.codex("a"), "config.toml"), "newer")
			testhome.PutText(t, filepath.Join(w.shared, "config.toml"), "older")
			testhome.NoError(t, os.MkdirAll(filepath.Join(w.codex("a"), "sessions", "d"), 0o700))
			testhome.PutText(t, filepath.Join(w.codex("a"), "sessions", "d", "file"), "x")
			testhome.NoError(t, os.MkdirAll(filepath.Join(w.codex("a"), "dir"), 0o700))
			testhome.NoError(t, os.Symlink(filepath.Join(w.codex("a"), "notes"), filepath.Join(w.codex("a"), "dir", "link")))
		},
		act:     func(w *testWorld, _ account.Account) error { return w.reconcile("a", noProcesses) },
		swapped: []string{"home", "home/.codex", "home/.codex/sessions", "home/.codex/sessions/d", "home/.codex/dir", "home/.codex/skills", "shared/skills"},
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
		act: func(w *testWorld, a account.Account) error {
			file := filepath.Join(w.home, "auth.json")
			testhome.PutText(w.t, file, "login")
			return login.MoveLogin(a, file)
		},
		swapped: []string{"home", "home/.codex", "home/.codex/auth.json"},
	},
	{
		name: "transcripts that are kept",
		set: func(t *testing.T, w *testWorld) {
			testhome.NoError(t, os.MkdirAll(filepath.Join(w.codex("a"), "sessions"), 0o700))
			testhome.PutText(t, filepath.Join(w.codex("a"), "sessions", "file"), "x")
		},
		act: func(w *testWorld, a account.Account) error {
			return w.store.KeepTranscripts(a, store.Transcripts{Names: []string{"sessions"}}, filepath.Join(w.home, "keep"))
		},
		swapped: []string{"home", "home/.codex", "home/.codex/sessions"},
	},
	{
		name: "a codex home that is taken over",
		set: func(t *testing.T, w *testWorld) {
			testhome.NoError(t, os.MkdirAll(filepath.Join(w.home, "old"), 0o700))
			testhome.PutText(t, filepath.Join(w.home, "old", "auth.json"), "login")
			testhome.PutText(t, filepath.Join(w.home, "old", "history.jsonl"), "x")
		},
		act: func(w *testWorld, a account.Account) error {
			_, err := takeover.Take(w.store, a, filepath.Join(w.home, "old"))
			return err
		},
		swapped: []string{"home", "home/.codex", "home/.codex/auth.json", "home/.codex/history.jsonl"},
	},
}

// swapAt does it while a program swaps the entry, before call at, for a link to an outside copy of it. It returns the number of calls,
// and whether the swap was made.
func (wr writing) swapAt(t *testing.T, s *stepper, entry string, at int) (calls int, met bool) {
	dir, err := os.MkdirTemp(testhome.Scratch(t), "")
	testhome.NoError(t, err)
	w := newWorld(t, dir, "a")
	a := w.accounts["a"]
	testhome.NoError(t, w.store.WriteMeta(a))
	if wr.set != nil {
		wr.set(t, w)
	}
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
	calls, _ = s.run(func() error { return wr.act(w, a) }, func(n int, _ string) unix.Errno {
		if n == at && (testhome.Exists(place) || !strings.HasPrefix(entry, "shared/")) { // what is to be made is swapped after
			met = swapForLink(t, place, filepath.Join(dir, "parked"), filepath.Join(outside, "same"))
		}
		return 0
	})
	if after := testhome.Tree(t, outside); after != before {
		t.Fatalf("%s swapped before call %d: outside changed from\n%s\nto\n%s\nafter %q", entry, at, before, after, s.log)
	}
	return calls, met
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
	for _, sub := range []string{".", ".codex", "sessions", "dir", "d"} {
		if dir := filepath.Join(outside, sub); testhome.Exists(dir) {
			testhome.NoError(t, os.Chmod(dir, 0o750))
		}
	}
}

// swapForLink puts a link in the place of an entry, which need not be there yet.
func swapForLink(t *testing.T, place, parked, outside string) bool {
	info, err := os.Lstat(place)
	if err == nil && info.Mode()&os.ModeSymlink != 0 {
		return false
	}
	if err == nil {
		testhome.NoError(t, os.Rename(place, parked))
	}
	testhome.NoError(t, os.Symlink(outside, place))
	return true
}

// A program swaps an entry of a sandbox for a link between a check and a use, before every single call: nothing is written outside.
func TestTrapSwappedWrites(t *testing.T) {
	s := newStepper(t)
	for _, wr := range writings {
		for _, entry := range wr.swapped {
			t.Run(fmt.Sprintf("%s/%s", wr.name, entry), func(t *testing.T) {
				swaps := 0
				calls, _ := wr.swapAt(t, s, entry, -1)
				for at, step := testhome.Points(t, 8); at < calls; at += step {
					if _, met := wr.swapAt(t, s, entry, at); met {
						swaps++
					}
				}
				if swaps == 0 && !testing.Short() { // else the few points that are tried may be those at which it cannot act
					t.Error("the program never acted")
				}
				t.Logf("%d swaps", swaps)
			})
		}
	}
}
