//go:build unix

package home

import (
	"errors"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
	"swop/internal/test/testhome"
)

// What an account keeps to itself stays its own when the pattern goes, until it is shared by name.
func TestPrivate(t *testing.T) {
	w := newWorld(t, "a")
	private := w.settings
	private.Home.Private = []string{".netrc*"}
	shared := w.settings
	w.settings = private
	w.put(w.in("a", "/.netrc"), "own")
	w.put(w.out("/x"), "x's")
	w.put(w.out("/.codex/.credentials.json"), "login")
	w.start(atRest, "a")
	// no scan sees that before the pattern goes
	w.session("a", "printf own >.netrc.bak; mv x .netrc.x; ln -s /no .netrc.l; mv .codex/.credentials.json .netrc.login")
	w.settings = shared
	w.start(atRest, "a")
	w.want("", w.out("/.netrc"), w.out("/.netrc.bak"), w.out("/.netrc.x"), w.out("/.netrc.login"))
	w.want("x's", w.out("/x"), w.in("a", "/x"), w.in("a", "/.netrc.x"))
	w.want("login", w.out("/.codex/.credentials.json"), w.in("a", "/.codex/.credentials.json"), w.in("a", "/.netrc.login"))
	testhome.NoError(t, os.Remove(w.in("a", "/.netrc"))) // as between two steps of a save
	w.start(atRest, "a")
	w.put(w.in("a", "/.netrc"), "own")
	w.start(atRest, "a")
	w.want("", w.out("/.netrc"))
	list, err := w.homes().Examine(*w.account("a"))
	if len(list) != 1 || list[0].Name != `".netrc", ".netrc.bak", ".netrc.l", ".netrc.login", ".netrc.x"` || err != nil {
		t.Errorf("doctor has %q, %v", list, err)
	}
	w.settings.Home.Shared = []string{".netrc"}
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
	w.session("a", "printf list | tee todo-journal todo-wal >todo-shm; mkdir work-journal; printf day >work-journal/1; printf index >db-shm")
	w.put(w.in("a", "/notes"), "new")
	w.put(w.in("a", "/db-wal"), "log")
	w.put(w.in("a", "/db"), "SQLite format 3\x00")
	w.start(running, "a")
	w.want("", w.out("/db"), w.out("/db-wal"))
	w.start(atRest, "a")
	w.want("list", w.out("/todo-journal"), w.out("/todo-wal"), w.out("/todo-shm"))
	w.want("day", w.out("/work-journal/1"))
	w.want("new", w.out("/notes"))
	w.want("a diary", w.in("a", "/notes-journal"))
	w.want("log", w.out("/db-wal"))
	w.want("index", w.out("/db-shm"))
	w.want("", w.in("a", "/db-wal"), w.in("a", "/db-shm"))
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
	groups, err := os.Getgroups()
	testhome.NoError(t, err)
	gid := append([]int{os.Getegid()}, groups...)[len(groups)]
	if os.Geteuid() == 0 {
		gid = 1
	}
	testhome.NoError(t, errors.Join(os.Chown(w.out(""), -1, gid), os.Chmod(w.out(""), 0o700|os.ModeSetgid)))
	const acl = "\x02\x00\x00\x00\x01\x00\x07\x00\xff\xff\xff\xff\x02\x00\x07\x00\x39\x30\x00\x00" +
		"\x04\x00\x00\x00\xff\xff\xff\xff\x10\x00\x07\x00\xff\xff\xff\xff\x20\x00\x00\x00\xff\xff\xff\xff"
	hasACL := unix.Setxattr(w.out(""), "system.posix_acl_default", []byte(acl), 0) == nil
	w.start(atRest, "a")
	w.session("a", "umask 077; mkdir d; touch f")
	w.start(atRest, "a")
	for name, want := range map[string][2]os.FileMode{"/d": {0o770 | os.ModeSetgid, 0o700 | os.ModeSetgid}, "/f": {0o660, 0o600}} {
		info, err := os.Stat(w.out(name))
		testhome.NoError(t, err)
		if got := info.Mode() &^ os.ModeDir; got != want[0] && hasACL || got != want[1] && !hasACL {
			t.Errorf("%s has the mode %v, want %v, without ACLs %v", name, got, want[0], want[1])
		}
		if st := info.Sys().(*syscall.Stat_t); int(st.Gid) != gid {
			t.Errorf("%s has the group %d, want %d", name, st.Gid, gid)
		}
		if n, err := unix.Getxattr(w.out(name), "system.posix_acl_access", nil); hasACL && (n <= 0 || err != nil) {
			t.Errorf("%s has no ACL: %v", name, err)
		}
	}
	if !hasACL {
		t.Skip("left out: needs ACLs")
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
	testhome.NoError(t, w.store.WriteMeta(w.account("a")))
	testhome.NoError(t, os.Mkdir(w.store.Path("trash"), 0o700))
	testhome.NoError(t, w.homes().Discard(*w.account("a"), nil))
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

// Many links that a session has moved are moved outside after one scan, and each of many versions gets its name at once.
func TestMany(t *testing.T) {
	w := newWorld(t, "a")
	e, err := w.homes().open(*w.account("a"), Options{})
	testhome.NoError(t, err)
	defer e.close()
	var found []entry
	e.led = map[place]int{}
	for _, name := range []string{"1", "2", "3"} {
		at := place{e.views[0], "was " + name}
		found = append(found, entry{place: place{e.views[0], name}, fault: movedLink, source: source{place: at}})
		e.led[at] = 1
	}
	if next := e.next(found, map[place]bool{}); len(next) != len(found) {
		t.Errorf("%d of %d are moved after one scan", len(next), len(found))
	}
	for range 3 {
		testhome.NoError(t, e.views[0].inKept(func(files disk.Dir) error { return files.Symlink("nowhere", "x") }))
		testhome.Tick(t)
	}
	list, err := List(w.store.Layout, w.root)
	testhome.NoError(t, err)
	if len(list) != 3 || list[0].Time.Sub(list[2].Time) < time.Microsecond {
		t.Errorf("the versions have %v", list)
	}
}
