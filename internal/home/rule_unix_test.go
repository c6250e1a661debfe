//go:build unix

package home

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/test/testhome"
)

// Cases, each with what the rule does in words.
func TestRule(t *testing.T) {
	for _, tt := range []struct {
		words string
		run   func(w *world)
	}{
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
		{"a session replaces a shared file, and is still running: once that is unchanged for ten seconds, and nobody has it open, it is shared", func(w *world) {
			home, err := disk.Open(w.in("a", ""), disk.NoFollow)
			testhome.NoError(w.t, err)
			defer home.Close()
			if runtime.GOOS != "linux" || !home.Local() { // it is not known who has a file open: it waits
				return
			}
			w.put(w.in("a", "/x"), "new")
			w.put(w.in("a", "/made"), "new")
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
		}},
		{"a name that looks like a credential's stays the account's in the codex home, and is shared as any other in HOME", func(w *world) {
			w.put(w.in("a", "/.codex/author.json"), "a's")
			w.put(w.in("a", "/author.json"), "a's")
			w.start(atRest, "a", "b")
			w.want("", w.out("/.codex/author.json"), w.in("b", "/.codex/author.json"))
			w.want("a's", w.out("/author.json"), w.in("b", "/author.json"))
		}},
		{"a session makes a file: it stays the account's while a session runs, and is shared at rest", func(w *world) {
			w.put(w.in("a", "/new"), "new")
			w.start(running, "a")
			w.want("", w.out("/new"))
			w.start(atRest, "a", "b")
			w.want("new", w.out("/new"), w.in("b", "/new"))
			w.wantLink(w.in("a", "/new"), w.out("/new"))
			w.wantKept("")
		}},
		{"a session replaces a file, and then somebody writes the shared one: that is later and stays; the session's is kept, and swop tells once a day", func(w *world) {
			for range 2 {
				w.put(w.in("a", "/x"), "session's")
				w.put(w.out("/x"), "outside's")
				w.start(atRest, "a")
			}
			w.want("outside's", w.out("/x"), w.in("a", "/x"))
			w.wantKept("x=session's x=session's")
			w.wantSaid(1)
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
			w.put(w.out("/x"), "outside's")
			w.put(w.in("a", "/x"), "session's")
			testhome.NoError(w.t, os.Chtimes(w.in("a", "/x"), time.Unix(1, 0), time.Unix(1, 0)))
			w.start(running, "a", "a")
			w.start(atRest, "a")
			w.want("session's", w.out("/x"))
			w.wantSaid(1)
			testhome.NoError(w.t, os.Remove(seenFile(w.account("a").Dir)))
			w.put(w.in("a", "/x"), "session's 2")
			w.start(atRest, "a")
			w.want("session's 2", w.out("/x"))
			w.wantSaid(1)
		}},
		{"mv x y: while a session runs, nothing is done, and the link x does not come back; at rest x is renamed outside, and what y had is kept", func(w *world) {
			w.put(w.out("/y"), "y's")
			w.start(atRest, "a")
			w.session("a", "mv x y")
			w.start(running, "a")
			w.want("old", w.in("a", "/y"), w.out("/x"))
			w.want("", w.in("a", "/x"))
			w.start(atRest, "a", "b")
			w.want("old", w.in("a", "/y"), w.out("/y"), w.in("b", "/y"))
			w.want("", w.in("a", "/x"), w.out("/x"), w.in("b", "/x"))
			w.wantLink(w.in("a", "/y"), w.out("/y"))
			w.wantKept("y=y's")
			w.wantSaid(0)
		}},
		{"mv x y, and then y is written outside: that is later and stays, and x comes back", func(w *world) {
			w.session("a", "mv x y")
			w.put(w.out("/y"), "outside's")
			w.start(atRest, "a")
			w.want("outside's", w.in("a", "/y"))
			w.want("old", w.in("a", "/x"))
		}},
		{"cp -a, ln, mv as backups of x, which a session then replaces: each is a file of its own with the old text, also where x is quiet first", func(w *world) {
			w.session("a", "cp -a x y; ln x z; mv x v; printf new >x")
			w.quietFor = time.Nanosecond
			w.start(running, "a")
			w.want("old", w.out("/x"))
			w.quietFor = 0
			w.start(atRest, "a", "b")
			w.want("old", w.in("a", "/y"), w.out("/y"), w.out("/z"), w.out("/v"), w.in("b", "/z"))
			w.want("new", w.in("a", "/x"), w.out("/x"))
			w.session("a", "printf later >x")
			w.want("old", w.out("/y"), w.out("/z"), w.out("/v"))
			w.wantSaid(0)
		}},
		{"a temporary name that stays, three times: x has what the last session put there", func(w *world) {
			w.session("a", "printf one >t") // and then it fails
			w.start(atRest, "a")
			w.session("a", "printf two >t && mv t x")
			w.start(atRest, "a")
			w.session("a", "{ cat x; printf three; } >t && mv t x")
			w.start(atRest, "a", "b")
			w.want("twothree", w.out("/x"), w.in("a", "/x"), w.in("b", "/x"))
			w.want("", w.out("/t"))
		}},
		{"a swap of two names, in two homes, and a chain: outside as inside", func(w *world) {
			w.put(w.out("/.codex/y"), "y's")
			w.put(w.out("/v"), "v's")
			w.start(atRest, "a")
			w.session("a", "mv x t; mv .codex/y x; mv t .codex/y; cp -a v v2; mv v2 v3; mv v v2; cp -a v3 v")
			w.start(atRest, "a", "b")
			w.want("y's", w.in("a", "/x"), w.out("/x"), w.in("b", "/x"))
			w.want("old", w.in("a", "/.codex/y"), w.out("/.codex/y"), w.in("b", "/.codex/y"))
			w.want("v's", w.out("/v"), w.out("/v2"), w.out("/v3"))
			w.wantSaid(0)
		}},
		{"mv d e of a directory renames it, also where the session makes d again; a swap is one; a copied link stays, and is named", func(w *world) {
			w.put(w.out("/d/f"), "in d")
			w.put(w.out("/s/f"), "in s")
			w.put(w.out("/u/f"), "in u")
			w.start(atRest, "a")
			w.session("a", "mv d e; mkdir d; printf new >d/g; mv s t; mv u s; mv t u")
			w.start(atRest, "a", "b")
			w.want("in d", w.out("/e/f"), w.in("b", "/e/f"))
			w.want("new", w.out("/d/g"), w.in("b", "/d/g"))
			w.want("in s", w.out("/u/f"), w.in("a", "/u/f"), w.in("b", "/u/f"))
			w.want("in u", w.out("/s/f"), w.in("a", "/s/f"))
			w.session("a", "cp -a e g")
			w.start(atRest, "a", "b")
			w.want("", w.out("/g/f"))
			list, err := Examine(w.store, *w.account("a"), w.root, w.settings)
			if err != nil || len(list) != 1 || list[0].Name != "g" {
				w.t.Errorf("doctor has %v, %v", list, err)
			}
			w.wantKept("")
		}},
		{"a link that the user makes to the path outside is the user's: it is shared; so is a copy of a link of the user's", func(w *world) {
			testhome.NoError(w.t, os.Symlink(w.out("/x"), w.out("/l")))
			w.start(atRest, "a")
			w.session("a", "ln -s "+w.out("/x")+" y; cp -a l m; rm x")
			w.start(atRest, "a", "b")
			w.want("old", w.out("/x"), w.in("b", "/y"), w.in("a", "/x"), w.in("b", "/m"))
			w.wantLink(w.out("/y"), w.out("/x"))
			w.wantLink(w.out("/m"), w.out("/x"))
		}},
		{"mv x y; ln -s y x: y is shared, and so is the link", func(w *world) {
			w.session("a", "mv x y; ln -s y x")
			w.start(atRest, "a", "b")
			w.want("old", w.out("/x"), w.in("a", "/x"), w.in("a", "/y"), w.in("b", "/x"), w.out("/y"))
			w.wantLink(w.out("/x"), "y")
			w.wantSaid(0)
		}},
		{"a name that looks like a credential's stays the account's, with what its link led to", func(w *world) {
			w.put(w.out("/.codex/n"), "n's")
			w.start(atRest, "a")
			w.session("a", "mv .codex/n .codex/n.token")
			w.start(atRest, "a", "b")
			w.want("n's", w.in("a", "/.codex/n.token"), w.out("/.codex/n"), w.in("a", "/.codex/n"))
			w.want("", w.out("/.codex/n.token"))
		}},
		{"rm x of a link: the shared file stays, and the link comes back", func(w *world) {
			testhome.NoError(w.t, os.Remove(w.in("a", "/x")))
			w.start(running, "a")
			w.want("old", w.in("a", "/x"))
			w.wantKept("")
		}},
		{"rm -r d; mkdir d in a session: the shared directory stays, the session's is kept as it is, and swop tells; of an empty one nothing is", func(w *world) {
			w.put(w.out("/d/f"), "shared")
			w.start(atRest, "a")
			testhome.NoError(w.t, os.Remove(w.in("a", "/d")))
			testhome.NoError(w.t, os.Mkdir(w.in("a", "/d"), 0o700))
			w.start(atRest, "a")
			w.wantSaid(0)
			testhome.NoError(w.t, os.Remove(w.in("a", "/d")))
			w.put(w.in("a", "/d/g"), "session's")
			w.start(running, "a")
			w.want("session's", w.in("a", "/d/g"))
			w.start(atRest, "a")
			w.want("shared", w.in("a", "/d/f"))
			w.wantKept("d/g=session's")
			w.wantSaid(1)
		}},
		{"sessions became a directory of the account's: it only grows, so what is in it moves to the shared one; only what has the name of another is kept", func(w *world) {
			w.put(w.out("/.codex/sessions/1"), "one")
			testhome.NoError(w.t, os.Remove(w.in("a", "/.codex/sessions")))
			w.put(w.in("a", "/.codex/sessions/1"), "another")
			w.put(w.in("a", "/.codex/sessions/2"), "two")
			w.start(atRest, "a")
			w.want("one", w.in("a", "/.codex/sessions/1"))
			w.want("two", w.out("/.codex/sessions/2"))
			w.wantKept("sessions/1=another")
		}},
		{"a database goes with its log, at rest; one that meets another is kept with its own", func(w *world) {
			w.put(w.in("a", "/.codex/q.sqlite-wal"), "log a")
			testhome.NoError(w.t, disk.RemoveIfExists(w.in("a", "/.codex/q.sqlite")))
			w.put(w.in("a", "/.codex/q.sqlite"), "a")
			w.put(w.in("b", "/.codex/q.sqlite-wal"), "log b")
			w.put(w.in("b", "/.codex/q.sqlite"), "b")
			w.start(running, "a")
			w.want("", w.out("/.codex/q.sqlite"))
			w.start(atRest, "a", "b")
			w.want("a", w.out("/.codex/q.sqlite"))
			w.want("log a", w.out("/.codex/q.sqlite-wal"))
			w.want("", w.in("a", "/.codex/q.sqlite-wal"), w.in("b", "/.codex/q.sqlite-wal"))
			w.wantKept("q.sqlite=b q.sqlite-wal=log b")
		}},
		{".credentials.json is one file with a name on each side: the newer one wins, the other is kept; removed on one side it goes on the others, at rest", func(w *world) {
			w.put(w.in("a", "/.codex/.credentials.json"), "a's")
			w.start(atRest, "a", "b")
			w.want("a's", w.out("/.codex/.credentials.json"), w.in("b", "/.codex/.credentials.json"))
			w.put(w.out("/.codex/.credentials.json"), "newer")
			w.start(atRest, "a", "b")
			w.want("newer", w.in("a", "/.codex/.credentials.json"), w.in("b", "/.codex/.credentials.json"))
			w.wantKept(".credentials.json=a's .credentials.json=a's")
			testhome.NoError(w.t, os.Remove(w.in("a", "/.codex/.credentials.json")))
			w.start(running, "a", "b")
			w.want("", w.out("/.codex/.credentials.json"))
			w.want("newer", w.in("b", "/.codex/.credentials.json"))
			w.start(atRest, "a", "b")
			w.want("", w.out("/.codex/.credentials.json"), w.in("a", "/.codex/.credentials.json"), w.in("b", "/.codex/.credentials.json"))
		}},
	} {
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

// What an account keeps to itself stays its own when the pattern goes, until it is shared by name.
func TestPrivate(t *testing.T) {
	w := newWorld(t, "a")
	private := w.settings
	private.Home.Private = []string{".netrc"}
	shared := w.settings
	w.settings = private
	w.put(w.in("a", "/.netrc"), "own")
	w.start(atRest, "a")
	w.settings = shared
	w.start(atRest, "a")
	w.want("", w.out("/.netrc"))
	list, err := Pinned(w.store.Layout, *w.account("a"), w.settings)
	if len(list) != 1 || err != nil {
		t.Errorf("Pinned = %q, %v", list, err)
	}
	if ok, err := Share(w.store.Layout, *w.account("a"), ".netrc", w.settings); !ok || err != nil {
		t.Errorf("Share = %t, %v", ok, err)
	}
	w.start(atRest, "a")
	w.want("own", w.out("/.netrc"))
}

// The same engine with hard links, as on Windows.
func TestHardLinks(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.hard = true
	w.settings.Isolation = config.IsolateCodexHome
	file := "/.codex/AGENTS.md"
	w.put(w.out(file), "one")
	w.put(w.out("/.codex/skills/s"), "skill")
	w.start(atRest, "a", "b")
	w.want("one", w.in("a", file), w.in("b", file))
	w.want("skill", w.in("a", "/.codex/skills/s"))
	w.put(w.out(file), "outside's") // an editor replaced it: the sandboxes have the old one
	w.start(atRest, "a", "b")
	w.want("outside's", w.in("a", file), w.in("b", file))
	w.put(w.in("a", file), "session's")
	w.start(running, "a")
	w.want("outside's", w.out(file))
	w.start(atRest, "a", "b")
	w.want("session's", w.out(file), w.in("b", file))
	w.put(w.out(file), "restored") // by mv from kept/: whoever replaced the file that both had meant it
	testhome.NoError(t, os.Chtimes(w.out(file), time.Unix(1, 0), time.Unix(1, 0)))
	w.start(atRest, "a", "b")
	w.want("restored", w.in("a", file), w.in("b", file))
	w.wantSaid(0)
	w.put(w.in("a", file), "a's")
	w.put(w.out(file), "later")
	w.start(atRest, "a", "b")
	w.want("later", w.in("a", file), w.in("b", file))
	w.wantSaid(1)
	testhome.NoError(t, os.Remove(w.in("a", file)))
	w.start(running, "a")
	w.want("later", w.in("a", file))
	testhome.NoError(t, os.Remove(w.out(file)))
	w.start(atRest, "a", "b")
	w.want("", w.in("a", file), w.in("b", file), w.out(file))
	w.put(w.in("a", "/.codex/new"), "new")
	w.put(w.in("a", "/.codex/made/x"), "in it")
	w.start(atRest, "a", "b")
	w.want("new", w.out("/.codex/new"), w.in("b", "/.codex/new"))
	w.want("in it", w.out("/.codex/made/x"), w.in("b", "/.codex/made/x"))
}

// A text is no database, nor is a FIFO, whatever lies beside it: the later text is shared, and no start waits for the other. What begins as
// a database goes with its log.
func TestNotes(t *testing.T) {
	w := newWorld(t, "a")
	w.put(w.out("/notes"), "old")
	w.put(w.out("/notes-journal"), "a diary")
	w.put(w.out("/pipe-wal"), "a log")
	testhome.NoError(t, unix.Mkfifo(w.out("/pipe"), 0o600))
	pipe, err := os.OpenFile(w.out("/pipe"), os.O_RDWR, 0)
	testhome.NoError(t, err)
	defer pipe.Close()
	w.start(atRest, "a")
	w.put(w.in("a", "/notes"), "new")
	w.put(w.in("a", "/db-wal"), "log")
	w.put(w.in("a", "/db"), "SQLite format 3\x00")
	w.start(running, "a")
	w.want("", w.out("/db"), w.out("/db-wal"))
	w.start(atRest, "a")
	w.want("new", w.out("/notes"))
	w.want("a diary", w.in("a", "/notes-journal"))
	w.want("log", w.out("/db-wal"))
	w.want("", w.in("a", "/db-wal"))
	w.wantLink(w.in("a", "/db"), w.out("/db"))
	w.wantKept("notes=old")
	w.wantSaid(0)
}
