//go:build unix

package home

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"swop/internal/disk"
	"swop/internal/test/testhome"
)

// A ruleCase plays one situation; its words say what the rule does.
type ruleCase struct {
	words string
	run   func(w *world)
}

// TestRule plays the cases of all three tables, each in a home of two accounts.
func TestRule(t *testing.T) {
	for _, tt := range slices.Concat(fileCases, nameCases, directoryCases) {
		t.Run(tt.words, func(t *testing.T) {
			w := newWorld(t, "a", "b")
			w.put(w.out("/x"), "old")
			w.start(atRest, "a", "b")
			tt.run(w)
			for range 2 { // the first may repair, the second notes that there was nothing to repair
				testhome.Tick(t)
				w.start(running, "a", "b")
			}
			before, said := testhome.Tree(t, filepath.Dir(w.store.Home)), len(w.said)
			w.start(running, "a", "b")
			testhome.WantTree(t, filepath.Dir(w.store.Home), before)
			w.wantSaid(said)
		})
	}
}

// Files at their own names.
var fileCases = []ruleCase{
	{"a session replaces a shared file: at rest its version is the shared one, a link leads to it, and the one before is kept, without a word", func(w *world) {
		w.put(w.in("a", "/x"), "new")
		w.start(running, "a")
		w.want("old", w.out("/x")) // it is not quiet
		w.start(atRest, "a")
		w.want("new", w.out("/x"), w.in("b", "/x"))
		w.wantLink(w.in("a", "/x"), w.out("/x"))
		w.wantKept("x=old")
		w.wantSaid(0)
	}},
	{"a session replaces a shared file, and is still running: once that is quiet, it is shared; what is new is at rest", func(w *world) {
		home, err := disk.Open(w.in("a", ""), disk.NoFollow)
		testhome.NoError(w.t, err)
		defer home.Close()
		w.put(w.in("a", "/x"), "new")
		w.put(w.in("a", "/made"), "new")
		if _, known := home.Unopened("x"); !known { // who has it open: it waits
			return
		}
		w.quietFor = time.Nanosecond
		open, err := os.Open(w.in("a", "/x"))
		testhome.NoError(w.t, err)
		w.start(running, "a")
		w.want("old", w.out("/x"))
		testhome.NoError(w.t, open.Close())
		w.start(running, "a")
		w.want("new", w.out("/x"), w.in("b", "/x"))
		w.wantKept("x=old")
		w.want("", w.out("/made")) // it replaced nothing
		w.start(atRest, "a", "b")
		w.want("new", w.out("/made"), w.in("b", "/made"))
		w.wantLink(w.in("a", "/made"), w.out("/made"))
	}},
	{"a name that looks like a credential's stays the account's in the codex home, and is shared as any other in HOME", func(w *world) {
		w.put(w.out("/.codex/n"), "n's")
		w.start(atRest, "a")
		w.session("a", "mv .codex/n .codex/n.token")
		w.put(w.in("a", "/.codex/author.json"), "a's")
		w.put(w.in("a", "/author.json"), "a's")
		w.start(atRest, "a", "b")
		w.want("n's", w.in("a", "/.codex/n.token"), w.out("/.codex/n"), w.in("a", "/.codex/n"))
		w.want("", w.out("/.codex/n.token"), w.out("/.codex/author.json"), w.in("b", "/.codex/author.json"))
		w.want("a's", w.out("/author.json"), w.in("b", "/author.json"))
	}},
	{"a session replaces a file, and then somebody writes the shared one: that is later and stays; the session's is kept, and swop tells each time", func(w *world) {
		for range 2 {
			w.put(w.in("a", "/x"), "session's")
			w.put(w.out("/x"), "outside's")
			w.start(atRest, "a")
		}
		w.want("outside's", w.out("/x"), w.in("a", "/x"))
		w.wantKept("x=session's x=session's")
		w.wantSaid(2)
	}},
	{"a file is changed outside, and then replaced in the session, as by sed -i: the session's is shared, the other kept, and nothing is said", func(w *world) {
		w.put(w.out("/x"), "outside's")
		w.put(w.in("a", "/x"), "outside's and session's")
		w.start(atRest, "a")
		w.want("outside's and session's", w.out("/x"))
		w.wantKept("x=outside's")
		w.wantSaid(0)
	}},
	{"one clock: outside an older file is put later, with its time: it is the later one; the session's is kept, and swop tells", func(w *world) {
		w.put(w.in("a", "/x"), "session's")
		w.put(w.out("/y"), "older")
		testhome.NoError(w.t, os.Chtimes(w.out("/y"), time.Unix(1, 0), time.Unix(1, 0)))
		testhome.NoError(w.t, os.Rename(w.out("/y"), w.out("/x")))
		w.start(atRest, "a")
		w.want("older", w.out("/x"), w.in("a", "/x"))
		w.wantKept("x=session's")
		w.wantSaid(1)
	}},
	{"one clock: what was not written outside since the last look was changed by the session alone, whatever its time says; chmod is told", func(w *world) {
		future := time.Now().Add(time.Hour)
		testhome.NoError(w.t, os.Chtimes(w.out("/x"), future, future))
		testhome.Tick(w.t)
		w.start(atRest, "a")
		w.put(w.in("a", "/x"), "session's")
		testhome.NoError(w.t, os.Chtimes(w.in("a", "/x"), time.Unix(1, 0), time.Unix(1, 0)))
		w.start(atRest, "a")
		w.want("session's", w.out("/x"))
		w.wantSaid(0)
		w.put(w.in("a", "/x"), "session's 2")
		testhome.NoError(w.t, os.Chmod(w.out("/x"), 0o640))
		w.start(atRest, "a")
		w.want("session's 2", w.out("/x"))
		w.wantKept("x=session's x=old")
		w.wantSaid(1)
	}},
	{"two sessions replace a shared file, or move one onto a name: the later one is shared, whichever account starts first, and of the other swop tells", func(w *world) {
		w.put(w.in("a", "/x"), "1st")
		w.put(w.in("b", "/x"), "2nd")
		w.put(w.in("a", "/n"), "1st")
		w.put(w.in("b", "/n"), "2nd")
		w.start(atRest, "a", "a", "b")
		w.want("2nd", w.out("/x"), w.in("a", "/x"), w.out("/n"), w.in("a", "/n"))
		w.wantSaid(2)
		w.put(w.in("b", "/x"), "3rd")
		w.put(w.in("a", "/x"), "4th")
		w.start(atRest, "a", "b")
		w.want("4th", w.out("/x"), w.in("b", "/x"))
		w.wantSaid(3)
		w.put(w.in("a", "/x"), "5th")
		w.put(w.in("b", "/x"), "6th")
		w.start(atRest, "a")
		testhome.PutText(w.t, w.out("/x"), "7th") // in place
		testhome.Tick(w.t)
		w.start(atRest, "b")
		w.want("7th", w.out("/x"), w.in("b", "/x"))
		w.wantSaid(4)
		w.session("a", "mv x z")
		w.session("b", "mv n z")
		w.start(atRest, "a", "b")
		w.want("2nd", w.out("/z"), w.in("a", "/z"))
		w.wantSaid(5)
	}},
	{"one clock: a start that found only a file replaced has seen it, and a session that puts an older one there knew it", func(w *world) {
		w.start(atRest, "a")
		w.put(w.out("/x"), "outside's")
		w.start(atRest, "a")
		w.put(w.in("a", "/y"), "session's")
		testhome.NoError(w.t, os.Chtimes(w.in("a", "/y"), time.Unix(1, 0), time.Unix(1, 0)))
		testhome.NoError(w.t, os.Rename(w.in("a", "/y"), w.in("a", "/x")))
		w.start(running, "a") // it waits: the look that saw it is no last one
		w.start(atRest, "a")
		w.want("session's", w.out("/x"))
		w.wantSaid(0)
	}},
	{"one clock: of both changes swop tells also where a start came between, and without what it had seen", func(w *world) {
		w.put(w.in("a", "/x"), "session's")
		w.put(w.out("/x"), "outside's")
		w.start(running, "a", "a")
		w.start(atRest, "a")
		w.want("outside's", w.out("/x"))
		w.wantKept("x=session's")
		w.wantSaid(1)
		testhome.NoError(w.t, os.Remove(seenFile(w.account("a").Dir)))
		w.put(w.in("a", "/x"), "session's 2")
		w.start(atRest, "a")
		w.want("session's 2", w.out("/x"))
		w.wantSaid(2)
		w.put(w.out("/new"), "outside's")
		w.put(w.in("a", "/new"), "session's") // which cannot have read the other
		w.start(atRest, "a")
		w.want("session's", w.out("/new"))
		w.wantSaid(3)
	}},
}
