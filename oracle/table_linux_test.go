package oracle

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"swop/internal/testhome"
)

// sequences are all of [TestTable].
var sequences = func() map[string]func(*play) {
	all := map[string]func(*play){
		"database kept open":        databaseKeptOpen,
		"directory made again":      func(p *play) { p.directoryMadeAgain("place=.; cd ~/proj") },
		"descriptors closed":        func(p *play) { p.directoryMadeAgain("place=~/proj; " + closeDescriptors) },
		"clock set back":            clockSetBack,
		"named like a temporary":    namedLikeTemporary,
		"opened file is not moved":  openedFile,
		"replaced in both accounts": replacedInBoth,
	}
	for name, r := range oneSession {
		all[name] = r.play
	}
	return all
}()

// TestTable plays, for each way in which the programs of a session were once harmed, a sequence that did it. With -short it plays it with starts between the steps alone.
func TestTable(t *testing.T) {
	testhome.Needs(t, "sqlite3", "rsync", "stow", "perl")
	for name, play := range sequences {
		for timing, when := range timings {
			if testing.Short() && when != between {
				continue
			}
			t.Run(name+"/"+timing, func(t *testing.T) {
				t.Parallel()
				p := newPlay(t)
				p.when = when
				play(p)
			})
		}
	}
}

const config, backup = ".codex/config.toml", ".codex/config.toml.bak"

// when says how the steps of a session and other starts follow on each other.
type when int

const (
	together when = iota // all steps are one
	apart                // no other start between the steps
	between              // both accounts start after each step
	nested               // the session's own account starts after each step
)

var timings = map[string]when{"together": together, "apart": apart, "starts between": between, "starts of its account": nested}

// play is a world with the means to play a sequence by hand.
type play struct {
	*world
	t    *testing.T
	when when
}

func newPlay(t *testing.T) *play { return newPlayOf(t, calm) }

// newPlayOf is newPlay with swop's programs in bin: see [built].
func newPlayOf(t *testing.T, bin string) *play {
	dir, err := os.MkdirTemp(testhome.ProgramScratch(), "oracle-")
	testhome.NoError(t, err)
	return newPlayIn(t, dir, bin)
}

// newPlayIn is newPlayOf in a directory that goes with it.
func newPlayIn(t *testing.T, dir, bin string) *play {
	w, err := newWorld(t, dir, bin)
	p := &play{world: w, t: t}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s\nswop said:\n%s", strings.Join(w.log, "\n"), strings.Join(w.said, "\n"))
		}
		testhome.NoError(t, w.remove())
	})
	testhome.NoError(t, err)
	return p
}

// in runs steps in a session of the account, with other starts as p.when says, and ends the session.
func (p *play) in(key string, steps ...string) {
	p.t.Helper()
	if p.when == together {
		steps = []string{strings.Join(steps, "\n")}
	}
	s := p.session(key)
	for _, step := range steps {
		p.do(s, step)
		switch p.when {
		case between:
			p.starts()
		case nested:
			testhome.NoError(p.t, p.start(key))
		}
	}
	testhome.NoError(p.t, p.end(s))
}

func (p *play) session(key string) *pair {
	p.t.Helper()
	s, err := p.open(key)
	testhome.NoError(p.t, err)
	return s
}

func (p *play) do(s *pair, step string) {
	p.t.Helper()
	p.note("%s: %s", s.key, step)
	testhome.NoError(p.t, s.do(step))
}

func (p *play) starts() {
	p.t.Helper()
	for _, key := range accounts {
		testhome.NoError(p.t, p.start(key))
	}
}

func (p *play) settled() {
	p.t.Helper()
	testhome.NoError(p.t, p.settle())
}

// same fails unless these entries of the real home are as in the plain one.
func (p *play) same(names ...string) {
	p.t.Helper()
	for _, name := range names {
		got, want := testhome.TextOf(filepath.Join(p.real, name)), testhome.TextOf(filepath.Join(p.plain, name))
		if got != want {
			p.t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
}

// wantKept fails unless history has a version that is the text.
func (p *play) wantKept(text string) {
	p.t.Helper()
	if !p.keeps(text) {
		p.t.Errorf("no kept version is %q; there are %q", text, p.kept())
	}
}

func (p *play) somewhere(text string) {
	p.t.Helper()
	if !p.contentsOf(p.real, ".swop/accounts").has(text) {
		p.t.Errorf("%q is in no file, no object, no kept version", text)
	}
}

// databaseKeptOpen: the database of a session is outside completely or not at all, and no row of it is lost.
func databaseKeptOpen(p *play) {
	s := p.session("work")
	p.do(s, openDatabase("notes.db"))
	p.do(s, `for n in $(seq 30); do echo "insert into t select value + 100 * $n from generate_series(1,100);" >&47; done; `+databaseSync)
	for n := range 6 { // what was written in between makes the log the one file that is not at rest
		p.do(s, fmt.Sprintf("echo 'insert into t values (-%d);' >&47; %s", n, databaseSync))
		testhome.NoError(p.t, p.start(accounts[n%2]))
		p.wholeDatabase("notes.db")
	}
	testhome.NoError(p.t, p.end(s))
	p.starts()
	p.in("home", `sqlite3 ~/notes.db "insert into t values (-9)"`)
	p.settled()
	got, want := rows(filepath.Join(p.real, "notes.db"), p.dir), rows(filepath.Join(p.plain, "notes.db"), p.dir)
	if got != want || strings.Count(want, "\n") != 3008 {
		p.t.Errorf("the database has %d lines, want %d: %.60q", strings.Count(got, "\n"), strings.Count(want, "\n"), got)
	}
}

// wholeDatabase fails where a database is outside without what its log holds.
func (p *play) wholeDatabase(name string) {
	p.t.Helper()
	var there []string
	for _, end := range []string{"", "-wal", "-shm"} {
		if testhome.Exists(filepath.Join(p.real, name+end)) {
			there = append(there, name+end)
		}
	}
	if n := strings.Count(rows(filepath.Join(p.real, name), p.dir), "\n"); len(there) > 0 && n < 3000 {
		p.t.Errorf("outside there is %q, with %d lines", there, n)
	}
}

// closeDescriptors closes what a program inherits, as daemons do, and with it that by which swop knows that the session runs.
const closeDescriptors = `for fd in $(ls /proc/$$/fd); do [ "$fd" -le 2 ] || [ "$fd" -gt 9 ] || eval "exec $fd>&-"; done`

// directoryMadeAgain: a directory that replaced its link stays where its programs are while other codex start.
func (p *play) directoryMadeAgain(then string) {
	s := p.session("work")
	p.do(s, "rm -rf ~/proj; mkdir ~/proj; "+then+"; echo '# early' >$place/early")
	was := inode(p.sandbox("work") + "/proj")
	p.starts()
	p.do(s, "echo '# late' >$place/late; echo '# late too' >~/proj/late-too")
	p.starts()
	if inode(p.sandbox("work")+"/proj") != was {
		p.t.Error("the directory was moved while the session runs")
	}
	p.do(s, "cd /")
	testhome.NoError(p.t, p.end(s))
	p.settled()
	places := map[string]bool{}
	for _, name := range []string{"early", "late", "late-too"} {
		found := p.contentsOf(p.real)["# "+strings.ReplaceAll(name, "-", " ")+"\n"]
		places[filepath.Dir(found)] = true
	}
	if len(places) != 1 || places["."] {
		p.t.Errorf("the directory's files are in %v", places)
	}
}

// clockSetBack: a version is not lost whatever the times of the files say. The clock itself cannot be set here.
func clockSetBack(p *play) {
	p.in("work", "echo '# ahead' >~/x; touch -d '2 days' ~/x")
	p.starts()
	testhome.NoError(p.t, os.WriteFile(p.real+"/x", []byte("# outside\n"), 0o600))
	p.in("work", "sed -i s/./@/ ~/x; echo '# back' >>~/x; touch -d '2 days ago' ~/x")
	p.settled()
	p.somewhere("# outside\n")
	p.somewhere("@ outside\n# back\n")
}

func namedLikeTemporary(p *play) {
	var names []string
	for _, name := range []string{".swop-x-0123456789abcdefghijklmnop-x", ".swop-x-ABCDEFGHIJKLMNOPQRSTUVWXYZ-x", ".swop-c-0123456789abcdefghijklmnop", ".swop-c-ABCDEFGHIJKLMNOPQRSTUVWXYZ"} {
		for _, dir := range []string{"", ".codex/"} {
			names = append(names, dir+name)
		}
	}
	for _, name := range names {
		for _, top := range []string{p.real, p.sandbox("work")} {
			testhome.NoError(p.t, os.MkdirAll(filepath.Join(top, name), 0o700))
			testhome.PutText(p.t, filepath.Join(top, name, "file"), "# "+top+name+"\n")
		}
	}
	p.starts()
	p.settled()
	for _, name := range names {
		for _, top := range []string{p.real, p.sandbox("work")} {
			if !p.contentsOf(p.real).has("# " + top + name + "\n") {
				p.t.Errorf("what %s held in %s is deleted", name, top)
			}
		}
	}
}

// openedFile: a file that a program has open stays under its name.
func openedFile(p *play) {
	s := p.session("work")
	p.do(s, "exec 45>~/log; echo '# one' >&45; mv ~/x ~/renamed; exec 46>>~/renamed")
	log, renamed := inode(p.sandbox("work")+"/log"), inode(p.sandbox("work")+"/renamed")
	p.starts()
	if inode(p.sandbox("work")+"/log") != log || inode(p.sandbox("work")+"/renamed") != renamed {
		p.t.Error("an open file was replaced under its name")
	}
	p.do(s, "echo '# two' >&45; echo '# three' >&46")
	testhome.NoError(p.t, p.end(s))
	p.settled()
	p.same("log", "renamed", "x")
}

// replacedInBoth: of two versions of a file one is under its name, and the other is kept.
func replacedInBoth(p *play) {
	a, b := p.session("work"), p.session("home")
	p.do(a, "sed -i 's/$/ by a/' ~/x")
	p.do(b, "sed -i 's/$/ by b/' ~/x")
	p.starts()
	p.settled()
	for _, text := range []string{"# first x by a\n", "# first x by b\n"} {
		p.somewhere(text)
	}
	p.wantKept("# first x\n")
}

func inode(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(info.Sys().(*syscall.Stat_t).Ino)
}
