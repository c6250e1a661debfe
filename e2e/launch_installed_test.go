//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"swop/internal/testhome"
)

// Where it is not certain what a launcher would do, it runs as it is installed: a probe in Node's place shows that.

// doubts change an installation that would be launched natively. More variables are in TestPlain of package shim.
var doubts = map[string]func(p *prefix){
	"setting":     func(p *prefix) { p.settings(`launch = "as-installed"`) },
	"bypass":      func(p *prefix) { p.env = append(p.env, "SWOP_BYPASS=1") },
	"pnpm beside": func(p *prefix) { p.write(filepath.Join(p.root, "../../.modules.yaml"), "") },
	"pnpm above":  func(p *prefix) { p.write(filepath.Join(p.dir, "node_modules/.modules.yaml"), "") },
	"pnpm above the link": func(p *prefix) {
		p.link(filepath.Join(p.root, "bin/codex.js"), filepath.Join(p.dir, "outer/bin/codex"))
		p.write(filepath.Join(p.dir, "outer/node_modules/.modules.yaml"), "")
		p.env[1] = strings.Replace(p.env[1], p.bin, filepath.Join(p.dir, "outer/bin"), 1)
		p.bin = filepath.Join(p.dir, "outer/bin")
	},
	"a real path of other bytes": func(p *prefix) {
		p.check(os.Rename(filepath.Join(p.dir, "lib"), filepath.Join(p.dir, "caf\xe9")))
		p.link("../caf\xe9/node_modules/@openai/codex/bin/codex.js", filepath.Join(p.bin, "codex"))
	},
	"one byte":      func(p *prefix) { p.edit("Unified", "unified") },
	"one byte more": func(p *prefix) { p.edit("Unified", "Unified ") },
	"no package":    func(p *prefix) { p.check(os.Remove(filepath.Join(p.pkg, "package.json"))) },
	"no binary":     func(p *prefix) { p.check(os.Remove(p.native())) },
	"no right to the binary": func(p *prefix) {
		p.check(os.Chmod(p.native(), 0o644))
	},
	"a directory for a binary": func(p *prefix) {
		name := p.native()
		p.check(os.Remove(name))
		p.mkdir(name)
	},
	"a package that cannot be opened": func(p *prefix) {
		above := filepath.Join(p.root, "..", filepath.Base(p.pkg)) // one that a search would find next
		p.write(filepath.Join(above, "package.json"), "{}")
		p.link(filepath.Join(p.pkg, "vendor"), filepath.Join(above, "vendor"))
		p.link("package.json", filepath.Join(p.pkg, "package.json")) // to itself
	},
	"not a link": func(p *prefix) {
		p.check(os.Remove(filepath.Join(p.bin, "codex")))
		p.copy(filepath.Join(p.root, "bin/codex.js"), filepath.Join(p.bin, "codex"))
	},
	"preload": func(p *prefix) { p.env = append(p.env, "NODE_OPTIONS=--max-old-space-size=4096 --require=/x.js") },
	"node is a shim of another name": func(p *prefix) {
		p.copy(p.probe(), filepath.Join(p.dir, "mise"))
		p.link(filepath.Join(p.dir, "mise"), p.node())
	},
	"node is among shims": func(p *prefix) {
		p.copy(p.probe(), filepath.Join(p.dir, "shims/node"))
		p.link(filepath.Join(p.dir, "shims/node"), p.node())
	},
}

func TestInstalledLaunch(t *testing.T) {
	t.Parallel()
	l := newest(t)
	for name, doubt := range doubts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPrefix(t, l, global, newTree)
			p.useTrap()
			if got := p.shim("x"); got.failed != "" || got.args[0] != p.native() {
				t.Fatalf("before, the shim starts %q (%s), want %q", got.args, got.failed, p.native())
			}
			doubt(p)
			p.wantInstalled(p.shim("exec", "x"), "exec", "x")
			p.wantNamed("")
		})
	}
}

// TestInstalledLaunchArguments: what is not UTF-8 is another argument behind Node; update finds out how codex was installed.
func TestInstalledLaunchArguments(t *testing.T) {
	t.Parallel()
	p := newPrefix(t, newest(t), global, newTree)
	p.useTrap()
	p.wantInstalled(p.shim("caf\xe9"), "caf\xe9")
	p.wantInstalled(p.shim("update"), "update")
	before := p.env
	p.env = append(slices.Clone(before), "SWOP_ACCOUNT=work")
	got := p.shim("update")
	if want := []string{"node", filepath.Join(p.bin, "codex"), "update"}; !slices.Equal(got.args, want) || slices.Contains(got.env, "CODEX_MANAGED_BY_NPM=1") {
		t.Errorf("update under an account starts %q in %q, want %q", got.args, got.env, want)
	}
}

// edit changes the launcher's text.
func (p *prefix) edit(old, new string) {
	p.t.Helper()
	name := filepath.Join(p.root, "bin/codex.js")
	text, err := os.ReadFile(name)
	p.check(err)
	if !strings.Contains(string(text), old) {
		p.t.Fatalf("the launcher has no %q", old)
	}
	p.write(name, strings.Replace(string(text), old, new, 1))
}

// TestInstalledLaunchPaths: a path that a file: URL must escape.
func TestInstalledLaunchPaths(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"100%", "a#b", "why?", `back\slash`, "new\nline", "latin-caf\xe9"} {
		p := newPrefixAt(t, filepath.Join(realTemp(t), name), newest(t), global, newTree)
		p.useTrap()
		p.wantInstalled(p.shim("x"), "x")
	}
}

func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testhome.NoError(t, err)
	return dir
}

// TestOtherManagers compares what codex gets directly and through the shim where another package manager installed it, and looks for the
// variable in which the launcher names the manager.
func TestOtherManagers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		at    place
		mark  func(p *prefix)
		wants string
	}{
		{
			place{"pnpm", "global/5/.pnpm/c/node_modules/@openai/codex", "global/5/.pnpm/c/node_modules/@openai", "global/5/node_modules/.bin"},
			func(p *prefix) {
				p.link(p.root, filepath.Join(p.dir, "global/5/node_modules/@openai/codex"))
				p.write(filepath.Join(p.dir, "global/5/node_modules/.modules.yaml"), "")
			}, "CODEX_MANAGED_BY_PNPM=1",
		},
		{
			place{"bun", ".bun/install/global/node_modules/@openai/codex", ".bun/install/global/node_modules/@openai", ".bun/bin"},
			func(*prefix) {}, "CODEX_MANAGED_BY_BUN=1",
		},
		{
			place{"bun elsewhere", "opt/install/global/node_modules/@openai/codex", "opt/install/global/node_modules/@openai", "opt/bin"},
			func(*prefix) {}, "CODEX_MANAGED_BY_NPM=1",
		},
		{
			place{"vite-plus", "packages/@openai/codex/id/lib/node_modules/@openai/codex", "packages/@openai/codex/id/lib/node_modules/@openai", "bin"},
			func(p *prefix) {
				p.write(filepath.Join(p.dir, "packages/@openai/codex.json"), `{"name": "@openai/codex", "installId": "id"}`)
			}, "CODEX_MANAGED_BY_VITE_PLUS=1",
		},
	} {
		t.Run(tt.at.name, func(t *testing.T) {
			t.Parallel()
			p := newPrefix(t, newest(t), tt.at, newTree)
			tt.mark(p)
			p.useNode()
			want := p.direct("x")
			if !slices.Contains(want.env, tt.wants) {
				t.Errorf("the launcher gives %q, want %s (%s)", want.env, tt.wants, want.failed)
			}
			p.wantEqual("codex through the shim", p.shim("x"), want)
			p.useTrap()
			p.wantInstalled(p.shim("x"), "x")
		})
	}
}

// TestNodeOfVersionManager: what is run as Node may change the environment, as version managers do.
func TestNodeOfVersionManager(t *testing.T) {
	t.Parallel()
	p := newPrefix(t, newest(t), global, newTree)
	node, err := exec.LookPath("node")
	p.check(err)
	p.write(p.node(), "#!/bin/sh\nVERSION_OF_PROJECT=1 exec "+node+" \"$@\"\n")
	p.check(os.Chmod(p.node(), 0o755))
	want := p.direct("x")
	if !slices.Contains(want.env, "VERSION_OF_PROJECT=1") {
		t.Errorf("codex has the environment %q (%s), want the version manager's", want.env, want.failed)
	}
	p.wantEqual("codex through the shim", p.shim("x"), want)
}

// TestPnpmScript: pnpm puts no link on PATH but a script.
func TestPnpmScript(t *testing.T) {
	t.Parallel()
	p := newPrefix(t, newest(t), global, newTree)
	p.check(os.Remove(filepath.Join(p.bin, "codex")))
	script := filepath.Join(p.root, "bin/codex.js")
	p.write(filepath.Join(p.bin, "codex"), "#!/bin/sh\nexec node '"+script+"' \"$@\"\n")
	p.check(os.Chmod(filepath.Join(p.bin, "codex"), 0o755))
	p.useTrap()
	if got, want := p.shim("x").args, []string{"node", script, "x"}; !slices.Equal(got, want) {
		t.Errorf("the shim starts %q, want %q", got, want)
	}
}

// TestNativeInstallations: Homebrew's link and the standalone installer's file are native, and are given nothing of npm's.
func TestNativeInstallations(t *testing.T) {
	t.Parallel()
	p := newPrefix(t, newest(t), global, newTree)
	p.useTrap()
	triple := triples[runtime.GOARCH][1]
	for name, target := range map[string]string{
		"homebrew":   "Caskroom/codex/0.169.0/codex-" + triple,
		"standalone": ".codex/packages/standalone/current/bin/codex",
		"unknown":    "elsewhere",
	} {
		p.copy(p.probe(), filepath.Join(p.dir, target))
		bin := filepath.Join(p.dir, name)
		p.link(filepath.Join(p.dir, target), filepath.Join(bin, "codex"))
		p.env[1] = "PATH=" + bin + ":" + filepath.Dir(p.node()) + ":/usr/bin:/bin"
		p.wantEqual(name, p.shim("x"), p.unlaunched("x"))
	}
}

// unlaunched returns what a native codex gets without a launcher, except the name that prlimit gives it and the limit that it sets.
func (p *prefix) unlaunched(args ...string) start {
	p.t.Helper()
	s := p.start(p.probe(), args)
	s.args[0] = filepath.Join(buildDir, "codex") // prlimit starts the shim by its path, and the shim hands its name on
	return s
}
