//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"swop/internal/test/e2e/realcodex"
)

// Where it is not certain what a launcher would do, it runs as it is installed: a probe in Node's place shows that.

// doubts change an installation that was launched natively.
var doubts = map[string]func(p *prefix){
	"setting": func(p *prefix) { p.settings(`launch = "as-installed"`) },
	"bypass":  func(p *prefix) { p.env = append(p.env, "SWOP_BYPASS=1") },
	"a real path of other bytes": func(p *prefix) {
		p.check(os.Rename(filepath.Join(p.dir, "lib"), filepath.Join(p.dir, "caf\xe9")))
		p.link("../caf\xe9/node_modules/@openai/codex/bin/codex.js", filepath.Join(p.bin, "codex"))
	},
	"another name of the package": func(p *prefix) { p.edit("package.json", `"@openai/codex"`, `"@acme/codex"`) },
	"no binary":                   func(p *prefix) { p.check(os.Remove(p.native)) },
	"not a link": func(p *prefix) {
		p.check(os.Remove(filepath.Join(p.bin, "codex")))
		p.copy(filepath.Join(p.root, "bin/codex.js"), filepath.Join(p.bin, "codex"))
	},
	"an answer too long": func(p *prefix) { p.answer(strings.Repeat("x", 1<<17)) },
}

// TestInstalledLaunchOpen: what others could have written is not believed.
func TestInstalledLaunchOpen(t *testing.T) {
	t.Parallel()
	p := newPrefix(t, realcodex.Version, global)
	p.ask("x")
	p.check(os.Chmod(p.swop, 0o777))
	p.useTrap()
	p.wantInstalled(p.shim("x"), "x")
}

// answer replaces what is kept of the launcher, and keeps it so.
func (p *prefix) answer(text string) {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.swop, "launch", "*"))
	files = slices.DeleteFunc(files, func(file string) bool { return filepath.Base(file) == "codex" }) // which codex was found last
	if p.check(err); len(files) != 1 {
		p.t.Fatalf("%q are kept, want one answer", files)
	}
	p.write(files[0], text)
}

func TestInstalledLaunch(t *testing.T) {
	t.Parallel()
	for name, doubt := range doubts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPrefix(t, realcodex.Version, global)
			p.ask("x")
			p.useTrap()
			if got := p.shim("x"); got.failed != "" || got.args[0] != p.native {
				t.Fatalf("before, the shim starts %q (%s), want %q", got.args, got.failed, p.native)
			}
			doubt(p)
			p.wantInstalled(p.shim("exec", "x"), "exec", "x")
			p.wantNamed("")
		})
	}
}

// TestLauncherChanged asks a launcher of other bytes again. One that changes the arguments, or starts codex in another way, runs as
// installed.
func TestLauncherChanged(t *testing.T) {
	t.Parallel()
	const before = `env[packageManagerEnvVar] = "1";`
	const end, wait = "; process.exit(0)", "; await new Promise(end => setTimeout(end, 6000))"
	const more = "it does more than set variables and pass its arguments on"
	const given = "process.argv.slice(2)], { stdio: 'inherit', env })"
	for name, tt := range map[string]struct{ with, why string }{
		"other bytes":        {" // as before", ""},
		"a variable":         {"env.ACME = '1'", ""},
		"an argument":        {"spawn(binaryPath, ['--acme', ..." + given + end, more},
		"a directory":        {"spawn(binaryPath, [..." + strings.Replace(given, "env", "env, cwd: '/'", 1) + end, more},
		"a variable changed": {"env.ACME = 'x' + env.PATH", more},
		"a shell":            {"(await import('node:child_process')).exec(binaryPath)" + end, more},
		"nothing":            {"process.exit(3)", "it did not answer which program it starts"},
		"too long":           {wait, "it did not answer which program it starts"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPrefix(t, realcodex.Version, global)
			p.ask("x")
			p.edit("bin/codex.js", before, before+tt.with)
			if tt.why == "" {
				want := p.ask("y")
				p.useTrap()
				p.wantEqual("the next start", p.shim("y"), want)
				wantText(t, "doctor", p.doctor(), "fast start: on: codex runs without npm's launcher")
				return
			}
			wantText(t, "doctor", p.doctor(), "fast start: off: ", tt.why)
			p.useTrap()
			p.wantInstalled(p.shim("x"), "x")
			p.wantNamed("")
		})
	}
}

// doctor returns what doctor prints.
func (p *prefix) doctor() string {
	p.t.Helper()
	c := exec.CommandContext(p.t.Context(), filepath.Join(buildDir, "codex"), "swop", "doctor")
	c.Dir, c.Env = filepath.Join(p.dir, "work"), p.env
	text, _ := c.CombinedOutput() // what else is wrong with this home is not asked here
	return string(text)
}

// TestInstalledUpdate: update finds out how codex was installed.
func TestInstalledUpdate(t *testing.T) {
	t.Parallel()
	p := newPrefix(t, realcodex.Version, global)
	p.useTrap()
	p.wantInstalled(p.shim("update"), "update")
	before := p.env
	p.env = append(slices.Clone(before), "SWOP_ACCOUNT=work")
	got := p.shim("update")
	if want := []string{"node", filepath.Join(p.bin, "codex"), "update"}; !slices.Equal(got.args, want) ||
		slices.Contains(got.env, "CODEX_MANAGED_BY_NPM=1") {
		t.Errorf("update under an account starts %q in %q, want %q", got.args, got.env, want)
	}
}

// edit changes the text of a file of the package.
func (p *prefix) edit(name, old, new string) {
	p.t.Helper()
	name = filepath.Join(p.root, name)
	text, err := os.ReadFile(name)
	p.check(err)
	if !strings.Contains(string(text), old) {
		p.t.Fatalf("%s has no %q", name, old)
	}
	p.write(name, strings.Replace(string(text), old, new, 1))
}
