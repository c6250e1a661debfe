package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// step is what a program of a session does: a script, and the names below HOME that it touches.
type step struct {
	kind  string
	names []string
	code  string
}

// pool are the names that steps choose from. Steps add those that they make.
type pool struct {
	rnd    *rand.Rand
	files  []string
	dirs   []string
	serial int
}

func newPool(rnd *rand.Rand) *pool {
	return &pool{
		rnd: rnd,
		files: []string{
			"x", "y", "z", ".rc", "with space", "-dash", "dir/one", "proj/a", ".codex/AGENTS.md", ".codex/config.toml", ".codex/notes.md",
		},
		dirs: []string{"dir", "proj", ".conf", "backup"},
	}
}

// odd are names that not every program thinks of.
var odd = []string{"new\nline", "\xff\xfe", "'quoted'", strings.Repeat("n", 255), ".hidden~", "*", "#x#", "x.swp", ".swop-x-0123456789abcdefghijklmnop-x"}

func (p *pool) one(of []string) string { return of[p.rnd.IntN(len(of))] }
func (p *pool) file() string           { return p.one(p.files) }
func (p *pool) dir() string            { return p.one(p.dirs) }

// top returns a file or a directory at the top of a home.
func (p *pool) top() string {
	for {
		if name := p.one(append(slices.Clone(p.files), p.dirs...)); topOf(name) == name {
			return name
		}
	}
}

// token is a text that no other step writes.
func (p *pool) token() string {
	p.serial++
	return fmt.Sprintf("t%02d", p.serial)
}

// fresh is a new name in the same home as another one.
func (p *pool) fresh(beside string) string {
	p.serial++
	name := fmt.Sprintf("new%02d", p.serial)
	if p.rnd.IntN(8) == 0 {
		name = p.one(odd)
	}
	if strings.HasPrefix(beside, ".codex/") {
		return ".codex/" + name
	}
	return name
}

func (p *pool) newFile(beside string) string {
	name := p.fresh(beside)
	p.files = append(p.files, name)
	return name
}

// steps are all kinds of steps, each with how often it comes.
var steps = []struct {
	often int
	kind  string
	make  func(p *pool) (names []string, code string)
}{
	{4, "write", func(p *pool) ([]string, string) { return p.write(p.file(), ">") }},
	{2, "write a new file", func(p *pool) ([]string, string) { return p.write(p.newFile(p.file()), ">") }},
	{4, "append", func(p *pool) ([]string, string) { return p.write(p.file(), ">>") }},
	{4, "sed -i", func(p *pool) ([]string, string) { return p.edit("sed -i 's/$/ %s/' %s") }},
	{2, "perl -i", func(p *pool) ([]string, string) { return p.edit("perl -i -pe 's/$/ %s/ if $. == 1' %s") }},
	{2, "vim", func(p *pool) ([]string, string) {
		return p.edit("vim -es -u NONE -i NONE -c 'normal Go# %s' -c wq %s")
	}},
	{2, "vim with a backup", func(p *pool) ([]string, string) {
		names, code := p.edit("vim -es -u NONE -i NONE -c 'set backup' -c 'normal Go# %s' -c wq %s")
		return append(names, names[0]+"~"), code
	}},
	{3, "mv", func(p *pool) ([]string, string) { return p.two("mv -f", p.top()) }},
	{2, "mv over another", func(p *pool) ([]string, string) { return p.over("mv -f") }},
	{2, "swap", swap},
	{2, "mv into a directory", func(p *pool) ([]string, string) { return p.into("mv -f") }},
	{1, "mv out of a directory", func(p *pool) ([]string, string) {
		name := p.newFile("x")
		from := p.one([]string{"dir/one", "dir/sub", "proj/b", ".conf/app", "backup/x", "backup/z"})
		return []string{from, name}, "mv -f " + home(from) + " " + home(name)
	}},
	{4, "cp -a", func(p *pool) ([]string, string) { return p.two("cp -a", p.top()) }},
	{2, "cp -a over another", func(p *pool) ([]string, string) { return p.over("cp -a") }},
	{1, "cp -p", func(p *pool) ([]string, string) { return p.two("cp -p", p.file()) }},
	{2, "ln", func(p *pool) ([]string, string) { return p.two("ln", p.file()) }},
	{1, "ln -s", func(p *pool) ([]string, string) { return p.two("ln -s", p.top()) }},
	{2, "ln -sr", func(p *pool) ([]string, string) { return p.two("ln -sr", p.top()) }},
	{1, "cp -al", func(p *pool) ([]string, string) { return p.two("cp -al", p.top()) }},
	{2, "rm", func(p *pool) ([]string, string) { name := p.file(); return []string{name}, "rm -f " + home(name) }},
	{1, "rm, written again", func(p *pool) ([]string, string) {
		name := p.file()
		return []string{name}, fmt.Sprintf("rm -f %s; echo '# %s' >%[1]s", home(name), p.token())
	}},
	{2, "directory made again", func(p *pool) ([]string, string) {
		name := p.dir()
		return []string{name}, fmt.Sprintf("rm -rf %s; mkdir %[1]s; cd %[1]s && echo '# %s' >one; echo '# %s' >two; cd /", home(name), p.token(), p.token())
	}},
	{2, "mkdir", func(p *pool) ([]string, string) {
		name := p.fresh("x")
		p.dirs = append(p.dirs, name)
		return []string{name}, fmt.Sprintf("mkdir %s; echo '# %s' >%[1]s/one; mkdir %[1]s/sub; echo '# %s' >%[1]s/sub/two", home(name), p.token(), p.token())
	}},
	{2, "tar", archive},
	{1, "tar -xp", extractOpen},
	{2, "rsync", func(p *pool) ([]string, string) { return p.into("rsync -a") }},
	{1, "rsync --delete", func(p *pool) ([]string, string) {
		from, to := p.dir(), "backup"
		return []string{from, to}, "rsync -a --delete " + home(from) + "/ " + home(to) + "/"
	}},
	{2, "git", git},
	{3, "database", func(p *pool) ([]string, string) {
		name := p.one([]string{"old.db", "new.db"})
		return databaseFiles(name), fmt.Sprintf(`sqlite3 %s "create table if not exists t(v); insert into t values ('%s')"`, home(name), p.token())
	}},
	{1, "stow", func(*pool) ([]string, string) {
		return []string{"dots", ".stowed"}, "(cd ~/dots && stow -t ~ pkg)"
	}},
	{1, "touch -d", func(p *pool) ([]string, string) {
		name := p.file()
		return []string{name}, fmt.Sprintf("touch -d '%d days ago' %s", p.rnd.IntN(40)-20, home(name))
	}},
	{1, "chmod 755 ~", func(*pool) ([]string, string) { return nil, "chmod 755 ~" }},
	{1, "FIFO", func(p *pool) ([]string, string) { name := p.fresh("x"); return []string{name}, "mkfifo " + home(name) }},
}

// makeStep makes a step at random.
func makeStep(p *pool) step {
	all := 0
	for _, s := range steps {
		all += s.often
	}
	n := p.rnd.IntN(all)
	for _, s := range steps {
		if n -= s.often; n < 0 {
			names, code := s.make(p)
			return step{s.kind, names, code}
		}
	}
	return step{}
}

func (p *pool) write(name, redirect string) ([]string, string) {
	return []string{name}, fmt.Sprintf("echo '# %s' %s%s", p.token(), redirect, home(name))
}

func (p *pool) edit(program string) ([]string, string) {
	name := p.file()
	return []string{name}, fmt.Sprintf("[ ! -f %s ] || "+program, home(name), p.token(), home(name))
}

// two is a program that makes a new name of one that is there.
func (p *pool) two(program, from string) ([]string, string) {
	to := p.newFile(from)
	return []string{from, to}, program + " " + home(from) + " " + home(to)
}

// over is a program that puts a file in the place of another one.
func (p *pool) over(program string) ([]string, string) {
	from, to := p.file(), p.file()
	return []string{from, to}, fmt.Sprintf("[ -d %s ] || %s -T %s %[1]s", home(to), program, home(from))
}

func (p *pool) into(program string) ([]string, string) {
	from, dir := p.top(), p.dir()
	return []string{from, dir}, program + " " + home(from) + " " + home(dir) + "/"
}

// swap gives two entries each other's names. Both are in one home: a link that goes to the other is no rename to swop.
func swap(p *pool) ([]string, string) {
	a, b, third := p.top(), p.top(), p.fresh("x")
	for inCodexHome(a) != inCodexHome(b) {
		b = p.top()
	}
	return []string{a, b, third}, fmt.Sprintf("mv -fT %[1]s %[3]s; mv -fT %[2]s %[1]s; mv -fT %[3]s %[2]s", home(a), home(b), home(third))
}

func archive(p *pool) ([]string, string) {
	a, b := p.top(), p.top()
	name := fmt.Sprintf("archive%02d.tar", p.rnd.IntN(3))
	switch p.rnd.IntN(3) {
	case 0:
		return []string{name, "out"}, "mkdir -p ~/out; [ ! -f ~/" + name + " ] || tar -xf ~/" + name + " -C ~/out"
	case 1:
		return append(slices.Clone(p.files), append(p.dirs, name)...), "[ ! -f ~/" + name + " ] || tar -xf ~/" + name + " -C ~"
	}
	return []string{a, b, name}, fmt.Sprintf("tar -cf ~/%s -C ~ -- ./%s ./%s", name, quote(a), quote(b))
}

// extractOpen extracts an archive that opens HOME to others.
func extractOpen(p *pool) ([]string, string) {
	name := p.newFile("x")
	return []string{name}, fmt.Sprintf(`rm -rf "$CTL/d"; mkdir "$CTL/d"; echo '# %s' >"$CTL/d"/%s; chmod 755 "$CTL/d"; tar -cf "$CTL/d.tar" -C "$CTL/d" ./; tar -xpf "$CTL/d.tar" -C ~`,
		p.token(), quote(name))
}

func git(p *pool) ([]string, string) {
	change := fmt.Sprintf("echo '# %s' >>%s; ", p.token(), p.one([]string{"a", "b"}))
	const alone = " && export GIT_CEILING_DIRECTORIES=$(dirname \"$(pwd -P)\")" // not the work tree in HOME
	return []string{"proj"}, "(cd ~/proj" + alone + " && { " + p.one([]string{
		change + "git add -u; git commit -qm " + p.token(),
		change + "git stash",
		change + "git reset -q --hard",
		"git stash pop",
		"git checkout -q HEAD~",
		"git checkout -q -f main",
		"git reset -q --hard HEAD~",
	}) + "; })"
}

func databaseFiles(name string) []string { return []string{name, name + "-wal", name + "-shm"} }

// topOf returns the entry at the top of its home that a path lies in. The codex home is one of the two.
func topOf(path string) string {
	parts := strings.SplitN(path, "/", 3)
	if parts[0] == ".codex" && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

func topsOf(names []string) (tops []string) {
	for _, name := range names {
		tops = append(tops, topOf(name))
	}
	slices.Sort(tops)
	return slices.Compact(tops)
}
