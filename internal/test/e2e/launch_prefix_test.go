//go:build linux

package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

// probe is the program that stands in for codex, and for node where that must not run: launch_probe, built at the first call.
var probe = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(buildDir, "probe")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-ldflags=-s", "-o", filepath.Join(dir, "node"), "swop/internal/test/e2e/launch_probe")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	if err != nil {
		os.Stderr.Write(out)
	}
	return filepath.Join(dir, "node"), err
})

// A prefix is a place where a package manager put codex: the files of a release, with a probe in the place of each of its programs.
type prefix struct {
	t    *testing.T
	dir  string // everything else is below it
	bin  string // the directory that the manager puts on PATH
	root string // npm's package
	swop string // SWOP_ROOT
	env  []string

	native string // the program that the launcher starts, known once it was asked
}

// A place is the layout that a package manager gives codex, below a directory: where its package, those that it needs and the link are.
type place struct{ name, root, modules, bin string }

var (
	global = place{"global", "lib/node_modules/@openai/codex", "lib/node_modules/@openai/codex/node_modules", "bin"}
	local  = place{"local", "node_modules/@openai/codex", "node_modules", "node_modules/.bin"}
)

// newPrefix installs a release as npm does. Links of the temporary directory's path are resolved, as Node would.
func newPrefix(t *testing.T, version string, at place) *prefix {
	t.Helper()
	return newPrefixAt(t, testfile.OwnDir(t), version, at)
}

func newPrefixAt(t *testing.T, dir, version string, at place) *prefix {
	t.Helper()
	modules := filepath.Dir(programsOf(t, release{version: version}).real)
	p := &prefix{t: t, dir: dir, bin: filepath.Join(dir, at.bin), root: filepath.Join(dir, at.root), swop: filepath.Join(dir, "swop")}
	p.copyTree(modules, filepath.Join(dir, at.modules), "@openai/codex", ".bin")
	p.copyTree(filepath.Join(modules, "@openai/codex"), p.root)
	link, err := filepath.Rel(p.bin, filepath.Join(p.root, "bin/codex.js"))
	testhome.NoError(t, err)
	p.link(link, filepath.Join(p.bin, "codex"))
	for _, name := range []string{"home", "work", "swop"} {
		p.mkdir(filepath.Join(dir, name))
		p.check(os.Chmod(filepath.Join(dir, name), 0o700))
	}
	p.env = []string{
		"HOME=" + filepath.Join(dir, "home"),
		"PATH=" + strings.Join([]string{p.bin, filepath.Join(dir, "tools"), "/usr/bin", "/bin"}, ":"),
		"SWOP_ROOT=" + p.swop,
	}
	p.useNode()
	return p
}

// largestScript is between the launcher and the programs of a release.
const largestScript = 1 << 20

// copyTree copies what is below a directory, except for what has one of these names there.
func (p *prefix) copyTree(from, to string, except ...string) {
	p.t.Helper()
	p.check(filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case slices.Contains(except, name):
			return filepath.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		if info, err := entry.Info(); err != nil || info.Size() > largestScript {
			path = p.probe()
		}
		p.copy(path, filepath.Join(to, name))
		return nil
	}))
}

func (p *prefix) check(err error) {
	p.t.Helper()
	testhome.NoError(p.t, err)
}

func (p *prefix) mkdir(dir string) {
	p.t.Helper()
	p.check(os.MkdirAll(dir, 0o755))
}

// write writes a program while no other test starts a process: such a child would have the file open for writing, and executing it would
// fail with ETXTBSY.
func (p *prefix) write(name, text string) {
	p.t.Helper()
	p.mkdir(filepath.Dir(name))
	syscall.ForkLock.RLock()
	err := os.WriteFile(name, []byte(text), 0o644)
	syscall.ForkLock.RUnlock()
	p.check(err)
}

func (p *prefix) copy(from, to string) {
	p.t.Helper()
	text, err := os.ReadFile(from)
	p.check(err)
	p.write(to, string(text))
	p.check(os.Chmod(to, 0o755))
}

// link makes or replaces a link.
func (p *prefix) link(target, name string) {
	p.t.Helper()
	p.mkdir(filepath.Dir(name))
	p.check(ignoreMissing(os.Remove(name)))
	p.check(os.Symlink(target, name))
}

// settings writes config.toml.
func (p *prefix) settings(text string) {
	p.t.Helper()
	p.write(filepath.Join(p.swop, "config.toml"), text)
}

// probe is the stand-in.
func (p *prefix) probe() string {
	p.t.Helper()
	program, err := probe()
	p.check(err)
	return program
}

// useNode makes the real Node the node on PATH.
func (p *prefix) useNode() {
	p.t.Helper()
	node, err := exec.LookPath("node")
	p.check(err)
	p.link(node, p.node())
}

// ask has the shim ask the launcher, and returns what that starts with these arguments.
func (p *prefix) ask(args ...string) start {
	p.t.Helper()
	p.useNode()
	want := p.direct(args...)
	p.wantEqual("the first start", p.shim(args...), want)
	p.native = want.args[0]
	return want
}

// useTrap makes a probe the node on PATH, which looks like Node to the shim, so that its output shows that a launcher was run.
func (p *prefix) useTrap() {
	p.t.Helper()
	p.link(p.probe(), p.node())
}

// node is the first on PATH.
func (p *prefix) node() string { return filepath.Join(p.dir, "tools/node") }

// A start is what a probe was started with.
type start struct {
	args, env []string
	limits    string
	failed    string // where no probe was started: what was said
}

// direct starts the installed codex, shim the shim before it.
func (p *prefix) direct(args ...string) start {
	p.t.Helper()
	return p.start(filepath.Join(p.bin, "codex"), args)
}

func (p *prefix) shim(args ...string) start {
	p.t.Helper()
	p.check(built())
	s := p.start(filepath.Join(buildDir, "codex"), args)
	all := len(s.env)
	s.env = slices.DeleteFunc(s.env, isGuard)
	if s.failed == "" && len(s.env) != all-1 {
		p.t.Errorf("what the shim starts has %d loop guards, want one", all-len(s.env))
	}
	return s
}

// isGuard reports whether the entry is the variable that names a process, and so differs from call to call.
func isGuard(entry string) bool { return strings.HasPrefix(entry, "SWOP_EXEC=") }

// start runs a program with few open files allowed, as in most shells.
func (p *prefix) start(program string, args []string) start {
	p.t.Helper()
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(p.t.Context(), "/usr/bin/prlimit", append([]string{"--nofile=512:", program}, args...)...)
	c.Dir, c.Env, c.Stdout, c.Stderr = filepath.Join(p.dir, "work"), p.env, &stdout, &stderr
	if err := c.Run(); err != nil {
		return start{failed: stderr.String()}
	}
	return p.parse(stdout.String())
}

// parse reads what a probe writes.
func (p *prefix) parse(text string) start {
	p.t.Helper()
	var parts []string
	for rest := text; rest != ""; {
		length, tail, _ := strings.Cut(rest, "\n")
		n, err := strconv.Atoi(length)
		if err != nil || n > len(tail) {
			p.t.Fatalf("not a probe's output: %q", text)
		}
		parts, rest = append(parts, tail[:n]), tail[n:]
	}
	if len(parts) != 3 {
		p.t.Fatalf("not a probe's output: %q", text)
	}
	return start{args: fields(parts[0]), env: fields(parts[1]), limits: parts[2]}
}

// fields returns the strings of a file in which each ends with a NUL.
func fields(text string) []string {
	list := strings.Split(text, "\x00")
	return list[:len(list)-1]
}

// wantEqual reports what differs between two starts.
func (p *prefix) wantEqual(what string, got, want start) {
	p.t.Helper()
	if got.failed != "" || want.failed != "" {
		p.t.Fatalf("%s fails with %q, want %q", what, got.failed, want.failed)
	}
	if !slices.Equal(got.args, want.args) {
		p.t.Errorf("%s has the arguments %q, want %q", what, got.args, want.args)
	}
	slices.Sort(got.env) // their order means nothing
	slices.Sort(want.env)
	if !slices.Equal(got.env, want.env) {
		p.t.Errorf("%s has the environment\n%q\nwant\n%q", what, got.env, want.env)
	}
	if got.limits != want.limits {
		p.t.Errorf("%s has the limits\n%s\nwant\n%s", what, got.limits, want.limits)
	}
}

// wantInstalled reports a shim that did not run codex as it is installed: node with the file on PATH, and the caller's environment.
func (p *prefix) wantInstalled(got start, args ...string) {
	p.t.Helper()
	want := append([]string{"node", filepath.Join(p.bin, "codex")}, args...)
	if got.failed != "" || !slices.Equal(got.args, want) {
		p.t.Errorf("the shim starts %q (%s), want %q", got.args, got.failed, want)
	}
	if !slices.Equal(got.env, p.env) {
		p.t.Errorf("the launcher has the environment\n%q\nwant\n%q", got.env, p.env)
	}
}
