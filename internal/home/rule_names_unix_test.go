//go:build unix

package home

import (
	"os"
	"strings"
	"time"

	"swop/internal/disk"
	"swop/internal/test/testhome"
)

// Links at other names than their own.
var nameCases = []ruleCase{
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
	{"mv x y, and then y is written outside: that is later and stays, and x comes back; of another mode alone y is replaced", func(w *world) {
		w.session("a", "mv x y")
		w.put(w.out("/y"), "outside's")
		w.start(atRest, "a")
		w.want("outside's", w.in("a", "/y"))
		w.want("old", w.in("a", "/x"))
		w.session("a", "mv x y")
		testhome.NoError(w.t, os.Chmod(w.out("/y"), 0o640))
		w.start(atRest, "a")
		w.want("old", w.out("/y"))
		w.wantSaid(1)
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
	{"a temporary name that stays, and a backup that is moved back, at names that a codex home has: as at any other", func(w *world) {
		w.session("a", "cd .codex; printf one >AGENTS.tmp; printf set >config.toml; printf 1 >version.json; printf 2 >v; mv v version.json")
		w.start(atRest, "a")
		w.session("a", "cd .codex; printf two >AGENTS.tmp; mv AGENTS.tmp AGENTS.md; mv config.toml config.toml.bak; printf bad >config.toml")
		w.start(atRest, "a")
		w.session("a", "cd .codex; { cat AGENTS.md; printf three; } >AGENTS.tmp; mv AGENTS.tmp AGENTS.md; mv config.toml.bak config.toml")
		w.start(atRest, "a", "b")
		w.want("twothree", w.out("/.codex/AGENTS.md"), w.in("a", "/.codex/AGENTS.md"), w.in("b", "/.codex/AGENTS.md"))
		w.want("set", w.out("/.codex/config.toml"), w.in("a", "/.codex/config.toml"), w.in("b", "/.codex/config.toml"))
		w.want("2", w.out("/.codex/version.json")) // linked ahead, made through its link, and replaced: one session's
		w.want("", w.out("/.codex/AGENTS.tmp"), w.out("/.codex/config.toml.bak"))
		w.wantSaid(0)
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
	{"mv d e of a directory renames it, also where the session makes d again, and in a chain; a copy stays, and is named; a swap is undone", func(w *world) {
		w.put(w.out("/d/f"), "in d")
		w.put(w.out("/c/f"), "in c")
		w.put(w.out("/c.new/f"), "in c.new")
		w.put(w.out("/s/f"), "in s")
		w.put(w.out("/u/f"), "in u")
		w.start(atRest, "a")
		w.session("a", "mv d e; mkdir d; printf new >d/g; mv s t; mv u s; mv t u; mv c c.old; mv c.new c; cp -a u v")
		w.start(atRest, "a", "b")
		w.want("in c", w.out("/c.old/f"), w.in("b", "/c.old/f"))
		w.want("in c.new", w.out("/c/f"), w.in("b", "/c/f"))
		w.want("", w.out("/c.new/f"))
		w.want("in d", w.out("/e/f"), w.in("b", "/e/f"))
		w.want("new", w.out("/d/g"), w.in("b", "/d/g"))
		w.want("in s", w.out("/s/f"), w.in("a", "/s/f"), w.in("b", "/s/f"), w.in("a", "/v/f"))
		w.want("in u", w.out("/u/f"), w.in("a", "/u/f"))
		w.wantSaid(2)
		w.session("a", "mv e f; cp -a f g; cp -a u h")
		w.start(atRest, "a", "b")
		w.want("", w.out("/f/f"), w.out("/g/f"), w.out("/h/f"), w.out("/v/f"))
		w.want("in d", w.out("/e/f"), w.in("a", "/e/f"), w.in("a", "/f/f"), w.in("a", "/g/f"), w.in("b", "/e/f"))
		w.wantSaid(2)
		list, err := w.homes().Examine(*w.account("a"))
		if err != nil || len(list) != 4 || list[0].Name != `"f"` {
			w.t.Errorf("doctor has %v, %v", list, err)
		}
		w.wantKept("")
	}},
	{"cp -a x y, and x is removed outside, mv of a file that is not there yet: nothing is left of either, and swop tells", func(w *world) {
		w.session("a", "cp -a x y; mv .codex/config.toml .codex/c")
		testhome.NoError(w.t, os.Remove(w.out("/x")))
		w.start(atRest, "a", "b")
		w.want("", w.out("/y"), w.in("a", "/y"))
		if w.wantSaid(2); strings.Count(strings.Join(w.said, "\n"), "which is not there") != 2 {
			w.t.Errorf("said %q", w.said)
		}
	}},
	{"a link that the user makes to the path outside is the user's: it is shared; so is a copy of a link of the user's", func(w *world) {
		testhome.NoError(w.t, os.Symlink(w.out("/x"), w.out("/l")))
		w.start(atRest, "a")
		w.session("a", "ln -s "+w.out("/x")+" y; cp -a l m; rm x")
		w.start(atRest, "a", "b")
		w.session("a", "ln -sf l x") // shared, it would be a loop
		w.start(atRest, "a")
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
	{"a directory's link at a private name of codex's goes: what is the account's own would be written there", func(w *world) {
		w.put(w.out("/.codex/skills/f"), "skill")
		w.start(atRest, "a")
		w.session("a", "cp -a .codex/skills .codex/secrets")
		w.start(atRest, "a")
		w.want("skill", w.in("a", "/.codex/skills/f"))
		w.want("", w.in("a", "/.codex/secrets/f"))
	}},
	{"ln -L of a link in HOME is a second name outside, also of a file whose name is hard-linked in the codex home", func(w *world) {
		w.put(w.out("/.credentials.json"), "one")
		w.start(atRest, "a")
		w.session("a", "ln -L .credentials.json second")
		w.start(atRest, "a")
		if one := disk.At(w.out("/.credentials.json")); !one.Exists() || !disk.At(w.out("/second")).Same(one) {
			w.t.Error("there are two files")
		}
	}},
	{"rm x of a link: the shared file stays, and the link comes back; also links without their times, as from a backup, are ours", func(w *world) {
		testhome.NoError(w.t, os.Remove(w.in("a", "/x")))
		w.start(running, "a")
		w.want("old", w.in("a", "/x"))
		testhome.NoError(w.t, os.Remove(seenFile(w.account("a").Dir)))
		w.session("a", "touch -h x")
		w.start(running, "a")
		w.session("a", "mv x y; printf new >x")
		w.start(atRest, "a")
		w.want("old", w.out("/y"))
	}},
}
