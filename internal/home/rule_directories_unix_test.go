//go:build unix

package home

import (
	"errors"
	"os"
	"path/filepath"

	"swop/internal/disk"
	"swop/internal/test/testhome"
)

// Directories, databases and what is one file under two names.
var directoryCases = []ruleCase{
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
	{"a directory in a file's place, or a file in a directory's: the session's is kept, and swop tells", func(w *world) {
		w.put(w.out("/d/f"), "shared")
		w.start(atRest, "a")
		w.session("a", "rm x d; mkdir x; printf in >x/f; printf file >d")
		w.start(atRest, "a", "b")
		w.want("old", w.out("/x"), w.in("a", "/x"))
		w.want("shared", w.out("/d/f"), w.in("a", "/d/f"))
		w.wantKept("x/f=in d=file")
		w.wantSaid(2)
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
	{"ln -s and ln -sr, at the top and in a new directory: the links lead where they led, and none leads through the account's home", func(w *world) {
		w.put(w.out("/dots/z"), "z")
		w.put(w.out("/.codex/notes"), "n")
		testhome.NoError(w.t, os.MkdirAll(w.in("a", "/n/m"), 0o700))
		for link, above := range map[string]string{"/l": "", "/n/m/l": "../../"} {
			rel, err := filepath.Rel(w.in("a", ""), w.out("/dots/z"))
			testhome.NoError(w.t, err)
			testhome.NoError(w.t, os.Symlink(above+rel, w.in("a", link)))
		}
		w.session("a", "ln -s x n/x; ln -s n/x own; ln -s ../../gone n/gone; ln -s ../.. n/up; printf new >n/new")
		w.session("a", "ln -s "+w.in("a", "/n/new")+" abs; ln -s "+w.in("a", "/.codex")+" cx; mkdir o; ln -s "+w.in("a", "/n")+" o")
		w.session("a", "ln -s "+w.in("a", "/.codex/notes")+" n/abs; ln -s "+w.in("a", "/o")+" n")
		w.start(atRest, "a", "b")
		w.want("z", w.out("/l"), w.out("/n/m/l"), w.in("b", "/l"))
		w.wantLink(w.out("/own"), "n/x")
		w.wantLink(w.out("/n/gone"), "../../gone") // as in a plain home
		w.wantLink(w.out("/n/up"), "../..")
		w.want("new", w.out("/o/n/o/n/new"))
		w.wantLink(w.out("/cx"), w.out("/.codex"))
		w.wantLink(w.out("/abs"), w.out("/n/new"))
		w.wantLink(w.out("/n/abs"), w.out("/.codex/notes"))
	}},
	{"a new directory that may not be written is shared as any other, and one with a login is not, whatever else is in it", func(w *world) {
		w.session("a", "printf login >.codex/auth.json; mkdir hp; ln -s "+w.in("a", "/.codex/auth.json")+" hp/auth.json")
		w.session("a", "mkdir logins ro; ln -s "+w.in("a", "/logins")+" l; printf login >logins/auth.json; printf f >ro/f; chmod 500 ro")
		w.start(atRest, "a", "b")
		w.want("", w.out("/logins/auth.json"), w.out("/hp/auth.json"))
		w.wantLink(w.out("/l"), w.out("/logins"))
		w.want("f", w.out("/ro/f"), w.in("b", "/ro/f"))
		testhome.NoError(w.t, os.Chmod(w.out("/ro"), 0o700))
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
		w.put(w.in("a", "/.codex/.credentials.json"), "session's")
		testhome.PutText(w.t, w.out("/.codex/.credentials.json"), "outside's, in place")
		w.start(atRest, "a", "b")
		w.want("outside's, in place", w.out("/.codex/.credentials.json"), w.in("a", "/.codex/.credentials.json"))
		w.wantKept(".credentials.json=session's")
		w.wantSaid(1)
		w.put(w.out("/.codex/.credentials.json"), "newer")
		w.start(atRest, "a", "b")
		w.want("newer", w.in("a", "/.codex/.credentials.json"), w.in("b", "/.codex/.credentials.json"))
		const both = ".credentials.json=outside's, in place"
		w.wantKept(both + " " + both + " .credentials.json=session's")
		testhome.NoError(w.t, os.Remove(w.in("a", "/.codex/.credentials.json")))
		w.start(running, "a", "b")
		w.want("", w.out("/.codex/.credentials.json"))
		w.want("newer", w.in("b", "/.codex/.credentials.json"))
		w.start(atRest, "a", "b")
		w.want("", w.out("/.codex/.credentials.json"), w.in("a", "/.codex/.credentials.json"), w.in("b", "/.codex/.credentials.json"))
		w.put(w.out("/.codex/.credentials.json"), "renewed in place, and removed")
		w.start(atRest, "a")
		w.session("a", "printf x >>.codex/.credentials.json; rm .codex/.credentials.json")
		w.start(atRest, "a")
		w.want("", w.out("/.codex/.credentials.json"))
		w.put(w.out("/.codex/.credentials.json"), "last")
		w.start(atRest, "a")
		fresh := w.in("a", "/fresh") // a fresh home, which has another inode, is no logout
		testhome.NoError(w.t, errors.Join(os.Mkdir(fresh, 0o700), os.RemoveAll(w.in("a", "/.codex")), os.Rename(fresh, w.in("a", "/.codex"))))
		w.start(atRest, "a")
		w.want("last", w.out("/.codex/.credentials.json"), w.in("a", "/.codex/.credentials.json"))
	}},
}
