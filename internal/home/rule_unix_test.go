//go:build unix

package home

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

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
		{"mv d e of a directory renames it, also where the session makes d again; a swap and a chain are some; a copied link stays, and is named", func(w *world) {
			w.put(w.out("/d/f"), "in d")
			w.put(w.out("/c/f"), "in c")
			w.put(w.out("/c.new/f"), "in c.new")
			w.put(w.out("/s/f"), "in s")
			w.put(w.out("/u/f"), "in u")
			w.start(atRest, "a")
			w.session("a", "mv d e; mkdir d; printf new >d/g; mv s t; mv u s; mv t u; mv c c.old; mv c.new c")
			w.start(atRest, "a", "b")
			w.wantSaid(0)
			w.want("in c", w.out("/c.old/f"), w.in("b", "/c.old/f"))
			w.want("in c.new", w.out("/c/f"), w.in("b", "/c/f"))
			w.want("", w.out("/c.new/f"))
			w.want("in d", w.out("/e/f"), w.in("b", "/e/f"))
			w.want("new", w.out("/d/g"), w.in("b", "/d/g"))
			w.want("in s", w.out("/u/f"), w.in("a", "/u/f"), w.in("b", "/u/f"))
			w.want("in u", w.out("/s/f"), w.in("a", "/s/f"))
			w.session("a", "cp -a e g")
			w.start(atRest, "a", "b")
			w.want("", w.out("/g/f"))
			list, err := w.homes().Examine(*w.account("a"))
			if err != nil || len(list) != 1 || list[0].Name != `"g"` {
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
		{"a directory's link at a private name of codex's goes: what is the account's own would be written there", func(w *world) {
			w.put(w.out("/.codex/skills/f"), "skill")
			w.start(atRest, "a")
			w.session("a", "cp -a .codex/skills .codex/secrets")
			w.start(atRest, "a")
			w.want("skill", w.in("a", "/.codex/skills/f"))
			w.want("", w.in("a", "/.codex/secrets/f"))
		}},
		{"rm x of a link: the shared file stays, and the link comes back", func(w *world) {
			testhome.NoError(w.t, os.Remove(w.in("a", "/x")))
			w.start(running, "a")
			w.want("old", w.in("a", "/x"))
			w.wantKept("")
		}},
		{"rm -r d; mkdir d in a session: what is in it moves to the shared one, what collides is kept, and swop tells; of an empty one nothing is", func(w *world) {
			w.put(w.out("/d/f"), "shared")
			w.start(atRest, "a")
			testhome.NoError(w.t, os.Remove(w.in("a", "/d")))
			testhome.NoError(w.t, os.Mkdir(w.in("a", "/d"), 0o700))
			w.start(atRest, "a")
			w.wantSaid(0)
			testhome.NoError(w.t, os.Remove(w.in("a", "/d")))
			w.session("a", "mkdir -p d/e; printf in >d/g; printf in >d/f; printf in >d/e/g")
			w.start(running, "a")
			w.want("in", w.in("a", "/d/g"))
			w.start(atRest, "a", "b")
			w.want("shared", w.in("a", "/d/f"))
			w.want("in", w.out("/d/g"), w.out("/d/e/g"))
			w.wantKept("d/f=in")
			w.wantSaid(1)
		}},
		{"two new directories that meet are merged, and nothing is kept; a repository stays whole", func(w *world) {
			w.session("a", "mkdir -p .config/one .git2/.git; printf a >.config/one/a; printf a >.git2/a")
			w.session("b", "mkdir -p .config/one .git2; printf b >.config/one/b; printf b >.git2/b")
			w.start(atRest, "a", "b")
			w.want("a", w.out("/.config/one/a"), w.in("b", "/.config/one/a"))
			w.want("b", w.out("/.config/one/b"), w.in("a", "/.config/one/b"))
			w.wantKept(".git2/b=b")
		}},
		{"a database in a directory that is merged goes with its log, or not at all", func(w *world) {
			const make = "printf '%s' 'SQLite format 3.' | tr . '\\000' >d/db; printf log >d/db-wal"
			w.put(w.out("/d/db-journal"), "another's")
			w.put(w.out("/d/e/f"), "f")
			w.start(atRest, "a")
			w.session("a", "rm d; mkdir -p d/e; "+make+"; cp d/db d/db-wal d/e")
			w.start(atRest, "a")
			w.want("", w.out("/d/db"), w.out("/d/db-wal"))
			w.want("log", w.out("/d/e/db-wal"))
			w.wantKept("d/db=SQLite format 3\x00 d/db-wal=log")
		}},
		{"ln -sr, at the top and in a new directory: the links lead where they led", func(w *world) {
			w.put(w.out("/dots/z"), "z")
			testhome.NoError(w.t, os.MkdirAll(w.in("a", "/n/m"), 0o700))
			for link, above := range map[string]string{"/l": "", "/n/m/l": "../../"} {
				rel, err := filepath.Rel(w.in("a", ""), w.out("/dots/z"))
				testhome.NoError(w.t, err)
				testhome.NoError(w.t, os.Symlink(above+rel, w.in("a", link)))
			}
			w.session("a", "ln -s x n/x; ln -s n/x own")
			w.start(atRest, "a", "b")
			w.want("z", w.out("/l"), w.out("/n/m/l"), w.in("b", "/l"))
			w.wantLink(w.out("/own"), "n/x")
		}},
		{"mv .codex .codex.old: the login stays in the sandbox, and is named; moved back, all is as before", func(w *world) {
			w.session("a", "printf login >.codex/auth.json; mv .codex .codex.old; mkdir -m 700 .codex")
			w.start(atRest, "a", "b")
			w.want("", w.out("/.codex.old/auth.json"))
			list, err := w.homes().Examine(*w.account("a"))
			if err != nil || len(list) != 1 || list[0].Name != `".codex.old"` {
				w.t.Errorf("doctor has %v, %v", list, err)
			}
			w.session("a", "rm -r .codex; mv .codex.old .codex")
			w.start(atRest, "a")
			w.want("login", w.in("a", "/.codex/auth.json"))
			w.wantLink(w.in("a", "/.codex/config.toml"), w.out("/.codex/config.toml"))
			w.wantKept("")
			w.wantSaid(1)
		}},
		{"sessions became a directory of the account's, and the shared one is a link to a larger disk: what is in it moves there", func(w *world) {
			disk, err := os.MkdirTemp("", "")
			testhome.NoError(w.t, err)
			defer os.RemoveAll(disk)
			testhome.NoError(w.t, os.Remove(w.out("/.codex/sessions")))
			testhome.NoError(w.t, os.Symlink(disk, w.out("/.codex/sessions")))
			w.put(w.out("/.codex/sessions/2026/1"), "one")
			w.session("a", "rm .codex/sessions; mkdir -p .codex/sessions/2026 .codex/sessions/2027; cd .codex/sessions; printf two >2026/2; "+
				"printf three >2027/3")
			w.start(atRest, "a", "b")
			w.want("two", w.out("/.codex/sessions/2026/2"), w.in("b", "/.codex/sessions/2026/2"))
			w.want("three", w.out("/.codex/sessions/2027/3"))
			w.wantKept("")
			w.wantSaid(0)
		}},
		{"sessions became a directory of the account's: what is in it moves to the shared one; only what has the name of another is kept", func(w *world) {
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
			testhome.NoError(w.t, os.Remove(w.out("/.codex/.credentials.json")))
			w.session("a", "printf again >.codex/.credentials.json") // a login after the removal
			w.start(atRest, "a", "b")
			w.want("again", w.out("/.codex/.credentials.json"), w.in("a", "/.codex/.credentials.json"), w.in("b", "/.codex/.credentials.json"))
			w.wantKept("")
			w.put(w.out("/.codex/.credentials.json"), "newer")
			w.start(atRest, "a", "b")
			w.want("newer", w.in("a", "/.codex/.credentials.json"), w.in("b", "/.codex/.credentials.json"))
			w.wantKept(".credentials.json=again .credentials.json=again")
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
	list, err := w.homes().Examine(*w.account("a"))
	if len(list) != 1 || list[0].Name != `".netrc"` || err != nil {
		t.Errorf("doctor has %q, %v", list, err)
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
	w.settings.Isolation = "codex-home"
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
	w.put(w.out("/.codex/m"), "m")
	w.put(w.out("/.codex/n"), "n")
	w.start(atRest, "a", "b")
	w.session("a", "cd .codex; mv m m2; mv n n2; printf new >n")
	w.start(atRest, "a", "b")
	w.want("m", w.out("/.codex/m2"), w.in("b", "/.codex/m2"))
	w.want("n", w.out("/.codex/n2"), w.in("b", "/.codex/n2"))
	w.want("new", w.out("/.codex/n"), w.in("b", "/.codex/n"))
	w.want("", w.out("/.codex/m"), w.in("a", "/.codex/m"), w.in("b", "/.codex/m"))
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
	w.put(w.out("/todo"), "") // an empty file is no database
	w.put(w.out("/work"), "")
	testhome.NoError(t, unix.Mkfifo(w.out("/pipe"), 0o600))
	pipe, err := os.OpenFile(w.out("/pipe"), os.O_RDWR, 0)
	testhome.NoError(t, err)
	defer pipe.Close()
	w.start(atRest, "a")
	w.session("a", "printf list >todo-journal; mkdir work-journal; printf day >work-journal/1")
	w.put(w.in("a", "/notes"), "new")
	w.put(w.in("a", "/db-wal"), "log")
	w.put(w.in("a", "/db"), "SQLite format 3\x00")
	w.start(running, "a")
	w.want("", w.out("/db"), w.out("/db-wal"))
	w.start(atRest, "a")
	w.want("list", w.out("/todo-journal"))
	w.want("day", w.out("/work-journal/1"))
	w.want("new", w.out("/notes"))
	w.want("a diary", w.in("a", "/notes-journal"))
	w.want("log", w.out("/db-wal"))
	w.want("", w.in("a", "/db-wal"))
	w.wantLink(w.in("a", "/db"), w.out("/db"))
	w.session("a", "printf stray >db-wal") // its database is outside, and has another
	w.start(atRest, "a")
	w.want("log", w.out("/db-wal"))
	w.want("", w.in("a", "/db-wal"))
	w.wantKept("db-wal=stray notes=old")
}

// A new entry has the group and the ACL that a directory outside gives.
func TestInherit(t *testing.T) {
	w := newWorld(t, "a")
	testhome.NoError(t, os.Chmod(w.out(""), 0o700|os.ModeSetgid))
	const acl = "\x02\x00\x00\x00\x01\x00\x07\x00\xff\xff\xff\xff\x02\x00\x07\x00\x39\x30\x00\x00" +
		"\x04\x00\x00\x00\xff\xff\xff\xff\x10\x00\x07\x00\xff\xff\xff\xff\x20\x00\x00\x00\xff\xff\xff\xff"
	hasACL := unix.Setxattr(w.out(""), "system.posix_acl_default", []byte(acl), 0) == nil
	w.start(atRest, "a")
	w.session("a", "umask 077; mkdir d; touch f")
	w.start(atRest, "a")
	if info, err := os.Stat(w.out("/d")); err != nil || info.Mode()&os.ModeSetgid == 0 {
		t.Errorf("the directory has %v, %v, want the setgid bit", info.Mode(), err)
	}
	n, err := unix.Getxattr(w.out("/f"), "system.posix_acl_access", nil)
	if hasACL && (n <= 0 || err != nil) {
		t.Errorf("the file has no ACL: %v", err)
	}
}

// A run that is killed between staging and exchange leaves a second name, or a link of ours, in kept/: those are no versions.
func TestStaged(t *testing.T) {
	w := newWorld(t, "a")
	w.put(w.out("/x"), "old")
	w.start(atRest, "a")
	w.put(w.in("a", "/x"), "new")
	dir := w.store.Path(KeptDir + "/" + KeptID(time.Now(), "a"))
	testhome.NoError(t, os.MkdirAll(dir, 0o700))
	testhome.NoError(t, os.Link(w.in("a", "/x"), dir+"/x"))
	w.wantKept("")
	w.start(atRest, "a")
	w.wantKept("x=old")
	testhome.NoError(t, os.Remove(dir+"/x"))
	testhome.NoError(t, os.Symlink(w.out("/x"), dir+"/x"))
	w.wantKept("x=old")
}

// Whoever removes an account, nothing goes with it but links at their own names and what the table makes its own.
func TestExit(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.put(w.out("/x"), "old")
	w.put(w.out("/d/f"), "in d")
	w.settings.Home.Private = []string{"mine"}
	w.session("a", "printf mine >mine; printf login >.codex/auth.json; printf secret >.codex/n.secret")
	w.start(atRest, "a")
	w.settings.Home.Private = nil
	w.session("a", "printf new >new; printf newer >x.t; mv x.t x; mkfifo pipe; cp -a d d.old; ln -s nowhere link; mkdir empty; printf log "+
		">.codex/q.sqlite-wal; mkdir own; printf login >own/auth.json")
	testhome.NoError(t, os.WriteFile(w.store.MetaFile(w.account("a").Dir), w.account("a").Meta.Text(), 0o600))
	testhome.NoError(t, os.Mkdir(w.store.Path("trash"), 0o700))
	testhome.NoError(t, w.homes().Discard(Leaving{Account: *w.account("a")}))
	w.start(atRest, "b")
	w.want("new", w.out("/new"), w.in("b", "/new"))
	w.want("newer", w.out("/x"))
	w.wantLink(w.out("/link"), "nowhere")
	w.wantKept("own/auth.json=login mine=mine n.secret=secret x=old q.sqlite-wal=log")
	const want = `kept what only account "a" had: "n.secret", "d.old", "mine", "own", "pipe"; see: codex swop history`
	if !slices.Contains(w.said, want) {
		t.Errorf("said %q, want %q", w.said, want)
	}
}
