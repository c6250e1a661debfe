//go:build unix

package home

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
	"swop/internal/test/testhome"
)

// play is a sequence of what programs do in two accounts and outside, with starts in between. Each text that a program writes is another
// one, and is alive until a program overwrites or removes the file that has it: no start may drop it.
type play struct {
	*world
	random *rand.Rand
	alive  map[string]bool
	texts  int
	log    []string
}

var (
	places = []string{"a", "b", ""} // the accounts, and outside
	names  = []string{
		"/x", "/y", "/d", "/.codex/config.toml", "/.codex/sessions", "/.codex/notes", "/.codex/q.sqlite",
		"/.codex/.credentials.json", "/.codex/installation_id",
	}
)

func (p *play) path() string {
	place, name := places[p.random.IntN(len(places))], names[p.random.IntN(len(names))]
	if place == "" {
		return p.out(name)
	}
	return p.in(place, name)
}

func (p *play) text() string {
	p.texts++
	return fmt.Sprintf("<%d>", p.texts)
}

// present returns the texts that are in any file, and those that history names.
func (p *play) present() map[string]bool {
	found := map[string]bool{}
	collect := func(dir string) {
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				for text := range strings.SplitSeq(testhome.TextOf(path), ">") {
					found[text+">"] = true
				}
			}
			return nil
		})
	}
	collect(p.store.Home)
	collect(p.store.AccountsDir())
	list, err := List(p.store.Layout, p.root)
	testhome.NoError(p.t, err)
	for _, v := range list {
		for _, file := range v.Files {
			collect(filepath.Join(v.Dir, file))
		}
	}
	return found
}

// program does something at random, as a program would. What it drops itself is not alive any more.
func (p *play) program() {
	a, b := p.path(), p.path()
	text := p.text()
	p.alive[text] = true
	write := func(path, text string, flags int) {
		if f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flags, 0o600); err == nil {
			_, _ = f.WriteString(text)
			_ = f.Close()
		}
	}
	what := p.random.IntN(13)
	switch what {
	case 0, 1, 2: // an editor
		write(a+".tmp", text, os.O_TRUNC)
		if disk.At(a).IsDir() || os.Rename(a+".tmp", a) != nil {
			_ = os.Remove(a + ".tmp")
		}
	case 3:
		write(a, text, os.O_TRUNC)
	case 4:
		write(a, text, os.O_APPEND)
	case 5:
		_ = os.Remove(a)
	case 6:
		_ = os.Rename(a, b)
	case 7:
		if disk.At(a).IsLink() {
			_ = os.Remove(a)
		}
		_ = os.Mkdir(a, 0o700)
		write(filepath.Join(a, strconv.Itoa(p.random.IntN(3))), text, os.O_EXCL)
	case 8: // cp -a of a link, or of a file
		if target, err := os.Readlink(a); err == nil {
			at := []unix.Timespec{disk.At(a).Mtime, disk.At(a).Mtime}
			if os.Symlink(target, b) == nil {
				_ = unix.UtimesNanoAt(unix.AT_FDCWD, b, at, unix.AT_SYMLINK_NOFOLLOW)
			}
		} else {
			_ = os.Link(a, b)
		}
	case 10: // ln
		_ = os.Link(a, b)
	case 11: // a swap of two names
		_, _, _ = os.Rename(a, a+".swap"), os.Rename(b, a), os.Rename(a+".swap", b)
	case 12: // a temporary name that stays
		write(a+".tmp", text, os.O_TRUNC)
	case 9: // SQLite puts the log beside the target
		if real, err := filepath.EvalSymlinks(a); err == nil && strings.HasSuffix(a, ".sqlite") {
			write(real+"-wal", text, os.O_TRUNC)
		}
	}
	p.log = append(p.log, fmt.Sprintf("program %d %s %s %s", what, a, b, text))
	there := p.present()
	maps.DeleteFunc(p.alive, func(text string, _ bool) bool { return !there[text] })
}

// begin starts codex in an account. It must drop nothing, and let nothing vanish that the real home showed; while a session runs, the
// account's own directories and new files stay as they are.
func (p *play) begin() {
	key := places[p.random.IntN(2)]
	rest := p.random.IntN(3) > 0
	shown, err := filepath.Glob(p.out("/*"))
	testhome.NoError(p.t, err)
	moved := p.targets(key)
	own := map[string]disk.Stat{}
	for _, name := range names {
		if i := disk.At(p.in(key, name)); !rest && (i.IsDir() || i.IsRegular() && !disk.At(p.out(name)).Exists()) {
			own[name] = i
		}
	}
	p.log = append(p.log, fmt.Sprintf("start %s, at rest: %t", key, rest))
	p.start(rest, key)
	there := p.present()
	for text := range p.alive {
		if !there[text] {
			p.t.Fatalf("%s is dropped after\n%s", text, strings.Join(p.log, "\n"))
		}
	}
	for _, path := range shown {
		if i := disk.At(path); !i.Exists() && !moved[path] && !p.hard { // a moved hard link has no target
			p.t.Fatalf("%s has vanished after\n%s", path, strings.Join(p.log, "\n"))
		}
	}
	for name, was := range own {
		if !disk.At(p.in(key, name)).Same(was) {
			p.t.Fatalf("%s of %s moved under a running session after\n%s", name, key, strings.Join(p.log, "\n"))
		}
	}
}

// targets returns where the links of an account that are not at their own names lead.
func (p *play) targets(key string) map[string]bool {
	list := map[string]bool{}
	for _, dir := range []string{"/", "/.codex/"} {
		links, _ := filepath.Glob(p.in(key, dir+"*"))
		for _, link := range links {
			if target, _ := os.Readlink(link); target != p.out(dir+filepath.Base(link)) {
				list[target] = true
			}
		}
	}
	return list
}

func number(name string, otherwise int) int {
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		return otherwise
	}
	return n
}

// Whatever programs do, no text that was written under a name is dropped: it is at its name, at another, or in kept/ and named by history.
// SWOP_SEQUENCES says how many sequences are played, SWOP_SEED which one is the first.
func TestRandom(t *testing.T) {
	first := number("SWOP_SEED", 1)
	for seed := first; seed < first+number("SWOP_SEQUENCES", 15+when(testhome.Repeats(), 45)); seed++ {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			p := &play{world: newWorld(t, "a", "b"), random: rand.New(rand.NewPCG(uint64(seed), 1)), alive: map[string]bool{}}
			p.hard = seed%7 == 0
			p.start(atRest, "a", "b")
			for range 60 {
				if p.random.IntN(3) == 0 {
					p.begin()
				} else {
					p.program()
				}
			}
			for range 3 { // at rest everything settles: a further start has nothing to do
				p.start(atRest, "a", "b")
			}
			before := testhome.Tree(t, p.out(""))
			p.start(atRest, "a", "b")
			testhome.WantTree(t, p.out(""), before)
			if t.Failed() {
				t.Log(strings.Join(slices.Concat(p.log, p.said), "\n"))
			}
		})
	}
}
