//go:build unix

package mirror

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// A play is a random sequence of what programs do in the homes of two accounts, and directly in the shared home, between and in the
// middle of reconciles. Each thing that is written is a token of its own, so that each can be looked for at the end.
type play struct {
	*testWorld
	rnd     *rand.Rand
	tokens  []*token
	held    []heldFile
	temps   []temporary
	doomed  map[uint64]bool   // inodes that a program replaced or removed: what is written to them through old descriptors goes
	auth    map[string]string // what each auth.json has to hold
	log     []string
	stopped string // the account in which nothing runs now
}

type token struct {
	text, by, path string
	private        bool
	gone           bool // a program removed or replaced what it saw of it
}

// heldFile is a file that a program of the account by has open for appending.
type heldFile struct {
	by, path string
	file     *os.File
}

// temporary is a file that a program is about to rename to its target.
type temporary struct{ by, name, target string }

// outside is the program that uses the shared home itself.
const outside = ""

var (
	filePaths = []string{
		"notes", "todo", "notes", "config.toml", "history.jsonl", ".credentials.json",
		"sessions/f", "sessions/d/f", "skills/f", "proj/f", "auth.json",
	}
	dirPaths    = []string{"sessions", "skills", "proj", "sessions/d", "notes"}
	renamed     = []string{"notes", "todo", "proj", "proj2", "config.toml", "skills"}
	tokenFormat = regexp.MustCompile(`<[0-9]+>`)
)

func newPlay(w *testWorld, seed uint64) *play {
	return &play{testWorld: w, rnd: rand.New(rand.NewPCG(seed, 0)), doomed: map[uint64]bool{}, auth: map[string]string{}}
}

// act does one thing that a program might do now.
func (p *play) act() {
	by := []string{"a", "a", "b", "b", outside}[p.rnd.IntN(5)]
	if by == p.stopped && by != outside {
		return
	}
	acts := []func(string){
		p.appendTo, p.appendTo, p.rewrite, p.rewrite, p.hold, p.writeHeld, p.writeHeld, p.writeHeld, p.closeHeld,
		p.makeTemp, p.makeTemp, p.renameTemp, p.renameTemp, p.renameTemp, p.remove, p.makeDir, p.moveEntry, p.makeLink, p.removeTree, p.linkHard,
		p.makeDatabase, p.logDatabase,
	}
	acts[p.rnd.IntN(len(acts))](by)
}

func (p *play) note(format string, args ...any) { p.log = append(p.log, fmt.Sprintf(format, args...)) }

func (p *play) dirOf(by string) string {
	if by == outside {
		return p.shared
	}
	return p.codex(by)
}

func (p *play) pick(from []string) string { return from[p.rnd.IntN(len(from))] }

// path picks a file. The guard of unique auth.json is that only appendTo, rewrite, renameTemp and remove get it.
func (p *play) path(by string) (name, path string) {
	name = p.pick(filePaths)
	return name, filepath.Join(p.dirOf(by), name)
}

func (p *play) newToken(by, name string) *token {
	t := &token{text: fmt.Sprintf("<%d>", len(p.tokens)), by: by, path: name, private: name == "auth.json"}
	p.tokens = append(p.tokens, t)
	return t
}

// seen marks what a program sees at path, and is about to replace or remove, as gone; the files too where it does not only truncate.
func (p *play) seen(path string, doom bool) {
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	if info.IsDir() {
		list, _ := os.ReadDir(path)
		for _, entry := range list {
			p.seen(filepath.Join(path, entry.Name()), doom)
		}
		return
	}
	if !info.Mode().IsRegular() {
		return
	}
	for _, text := range tokenFormat.FindAllString(testhome.TextOf(path), -1) {
		var n int
		_, _ = fmt.Sscanf(text, "<%d>", &n) // the pattern has matched
		p.tokens[n].gone = true
	}
	if doom {
		p.doomed[fileInode(info)] = true
	}
}

func (p *play) appendTo(by string) { p.write(by, os.O_APPEND) }

func (p *play) rewrite(by string) { p.write(by, os.O_TRUNC) }

func (p *play) write(by string, how int) {
	name, path := p.path(by)
	if how == os.O_TRUNC {
		p.seen(path, false)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|unix.O_NONBLOCK|how, 0o600)
	if err != nil {
		return // a directory is in the way, or missing
	}
	t := p.newToken(by, name)
	p.note("%s: write %s to %s (%#x) inode %d", by, t.text, name, how, inodeOf(path))
	_, err = f.WriteString(t.text)
	testhome.NoError(p.t, errors.Join(err, f.Close()))
	if t.private && how == os.O_TRUNC {
		p.auth[by] = ""
	}
	if t.private {
		p.auth[by] += t.text
	}
}

func (p *play) hold(by string) {
	name, path := p.path(by)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|unix.O_NONBLOCK, 0o600)
	if err != nil || name == "auth.json" {
		if err == nil {
			testhome.NoError(p.t, f.Close())
		}
		return
	}
	p.note("%s: open %s", by, name)
	p.held = append(p.held, heldFile{by, name, f})
}

func (p *play) writeHeld(by string) {
	for _, h := range p.held {
		if h.by == by {
			info, err := h.file.Stat()
			testhome.NoError(p.t, err)
			t := p.newToken(by, h.path)
			t.gone = p.doomed[fileInode(info)]
			_, err = h.file.WriteString(t.text)
			testhome.NoError(p.t, err)
			p.note("%s: write %s to the open %s, inode %d, doomed %v", by, t.text, h.path, fileInode(info), t.gone)
			return
		}
	}
}

func (p *play) closeHeld(by string) {
	for i, h := range p.held {
		if h.by == by {
			p.note("%s: close %s", by, h.path)
			testhome.NoError(p.t, h.file.Close())
			p.held = slices.Delete(p.held, i, i+1)
			return
		}
	}
}

func (p *play) makeTemp(by string) {
	target := p.pick([]string{"notes", "todo", "config.toml", "history.jsonl", ".credentials.json", "auth.json", "notes", "config.toml"})
	name := p.pick([]string{".tmp1", ".tmp2", "notes.new"})
	if target == "auth.json" {
		name = ".auth-x"
	}
	f, err := os.OpenFile(filepath.Join(p.dirOf(by), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return
	}
	t := p.newToken(by, target)
	p.note("%s: write %s to the new %s for %s", by, t.text, name, target)
	_, err = f.WriteString(t.text)
	testhome.NoError(p.t, errors.Join(err, f.Close()))
	p.temps = append(p.temps, temporary{by, name, target})
}

func (p *play) renameTemp(by string) {
	for i, tmp := range p.temps {
		if tmp.by == by {
			p.rename(by, tmp.name, tmp.target)
			p.temps = slices.Delete(p.temps, i, i+1)
			return
		}
	}
}

func (p *play) rename(by, name, target string) {
	from, to := filepath.Join(p.dirOf(by), name), filepath.Join(p.dirOf(by), target)
	if info, err := os.Lstat(to); err == nil && info.IsDir() {
		return // a program that would replace a directory
	}
	before, err := os.Stat(from)
	after, err2 := os.Stat(to)
	if err == nil && err2 == nil && before.IsDir() != after.IsDir() {
		return // without links it would fail
	}
	text := testhome.TextOf(from)
	if info, err := os.Lstat(from); err != nil || info.IsDir() && testhome.Exists(to) {
		return
	}
	p.seen(to, true)
	testhome.NoError(p.t, os.Rename(from, to))
	p.note("%s: rename %s to %s: %s inode %d", by, name, target, text, inodeOf(to))
	if target == "auth.json" {
		p.auth[by] = text
	}
}

func (p *play) remove(by string) {
	name, path := p.path(by)
	if info, err := os.Lstat(path); err != nil || info.IsDir() {
		return
	}
	p.seen(path, true)
	p.note("%s: remove %s", by, name)
	testhome.NoError(p.t, os.Remove(path))
	if name == "auth.json" {
		delete(p.auth, by)
	}
}

func (p *play) makeDir(by string) {
	name := p.pick(dirPaths)
	if err := os.Mkdir(filepath.Join(p.dirOf(by), name), 0o700); err == nil {
		p.note("%s: mkdir %s", by, name)
	}
}

func (p *play) moveEntry(by string) { p.rename(by, p.pick(renamed), p.pick(renamed)) }

func (p *play) makeLink(by string) {
	target := p.pick([]string{"notes", filepath.Join(p.home, "nowhere"), filepath.Join(p.dirOf(by), "todo"), filepath.Join(p.shared, "history.jsonl")})
	name := p.pick([]string{"notes", "todo", "link"})
	if target == filepath.Join(p.dirOf(by), name) || target == name {
		return
	}
	if err := os.Symlink(target, filepath.Join(p.dirOf(by), name)); err == nil {
		p.note("%s: symlink %s -> %s", by, name, target)
	}
}

func (p *play) removeTree(by string) {
	name := p.pick([]string{"skills", "proj", "proj2", "sessions"})
	path := filepath.Join(p.dirOf(by), name)
	if testhome.Exists(path) {
		p.seen(path, true)
		p.note("%s: rm -r %s", by, name)
		testhome.NoError(p.t, os.RemoveAll(path))
	}
}

func (p *play) linkHard(by string) {
	from, to := p.pick([]string{"notes", "todo", ".credentials.json"}), p.pick([]string{"hard", "todo", ".credentials.json"})
	if info, err := os.Lstat(filepath.Join(p.dirOf(by), from)); err != nil || !info.Mode().IsRegular() {
		return
	}
	err := os.Link(filepath.Join(p.dirOf(by), from), filepath.Join(p.dirOf(by), to))
	if err == nil {
		p.note("%s: link %s to %s", by, from, to)
	} else if errors.Is(err, fs.ErrPermission) {
		p.note("%s: link %s to %s: %v", by, from, to, err)
	}
}
