//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testhome"
)

// What the shim starts in the place of npm's launcher is compared with what the real launcher starts, under the real Node.

// harmless are variables that Node and npm know and that change nothing.
var harmless = []string{
	"NODE_ENV=production", "NODE_VERSION=20.20.2", "NODE_NO_WARNINGS=1", "NODE_HOME=/opt/node", "NODE_PATH=/nowhere:/usr/share/nodejs",
	"NODE_EXTRA_CA_CERTS=/nowhere/ca.pem", "NODE_TLS_REJECT_UNAUTHORIZED=0", "NODE_USE_ENV_PROXY=1", "NODE_USE_SYSTEM_CA=1",
	"NODE_OPTIONS=--max-old-space-size=4096 --max_old_space_size=2048",
	"npm_config_user_agent=npm/11.0.0 node/v24.0.0 linux x64 workspaces/false", "npm_execpath=/usr/lib/node_modules/npm/bin/npm-cli.js",
}

// managed are the variables that launchers set, as an outer codex has left them.
var managed = []string{
	"CODEX_MANAGED_BY_PNPM=1", "CODEX_MANAGED_BY_NPM=0", "B=2", "CODEX_MANAGED_PACKAGE_ROOT=/outer", "CODEX_MANAGED_BY_BUN=1",
	"CODEX_MANAGED_BY_VITE_PLUS=", "CODEX_MANAGED_BY_OTHER=1", "C=3",
}

// environments are what a caller may have in addition to HOME and PATH.
var environments = map[string][]string{
	"simple":  {"A=1", "EMPTY=", "LINES=a\nb=c", "EQUAL==x=", "UNICODE=\u00e9\u4e16", "lower=1", "_=/usr/bin/env"},
	"managed": append(managed, harmless...),
}

// launchArgs are arguments that must arrive as they are, one of which Node would take for its own.
var launchArgs = []string{"--inspect", "", "a 'b' \"c\"\n", "\u00e9\u4e16", "--", "--version"}

func TestNativeLaunch(t *testing.T) {
	t.Parallel()
	for _, version := range realcodex.Releases() {
		places := []place{global, local}
		if version != realcodex.Version {
			places = sampled(places, global)
		}
		for _, at := range places {
			t.Run(version+" "+at.name, func(t *testing.T) {
				t.Parallel()
				mayRepeat(t, version)
				p := newPrefix(t, version, at)
				for name, more := range environments {
					p.compare(name, more)
				}
				p.ask("x")
				p.wantNamed(p.native)
			})
		}
	}
}

// compare runs the launcher, then the shim, which asks it, then the shim where no launcher can run.
func (p *prefix) compare(name string, more []string) {
	p.t.Helper()
	before := p.env
	defer func() { p.env = before }()
	p.env = append(slices.Clone(before), more...)
	want := p.ask(launchArgs...)
	p.useTrap()
	p.wantEqual("a native launch, "+name, p.shim(launchArgs...), want)
}

// TestNativeLaunchNode asks the launchers under each kind of Node.
func TestNativeLaunchNode(t *testing.T) {
	t.Parallel()
	nodes := realcodex.Nodes
	for _, version := range sampled(nodes, nodes[len(nodes)-1]) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			node, err := nodeOf(version)
			testhome.NoError(t, err)
			for _, release := range realcodex.Releases() {
				t.Run(release, func(t *testing.T) {
					mayRepeat(t, release)
					p := newPrefix(t, release, global)
					p.link(filepath.Join(node, "node"), p.node())
					want := p.direct(launchArgs...)
					p.wantEqual("the first start", p.shim(launchArgs...), want)
					p.useTrap()
					p.wantEqual("a native launch", p.shim(launchArgs...), want)
				})
			}
		})
	}
}

// TestNativeLaunchWithoutNode: the answer holds where there is no node, and the launcher could only fail.
func TestNativeLaunchWithoutNode(t *testing.T) {
	t.Parallel()
	p := newPrefix(t, realcodex.Version, global)
	p.ask("x")
	p.env[1] = "PATH=" + p.bin + ":/nowhere"
	got := p.shim("x")
	p.wantNamed(p.native)
	if want := []string{p.native, "x"}; !slices.Equal(got.args, want) {
		t.Errorf("without node the shim starts %q (%s), want %q", got.args, got.failed, want)
	}
}

// TestNativeLaunchOtherPath: an older launcher puts a directory before PATH, and drops the empty entries of what was there.
func TestNativeLaunchOtherPath(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"0.128.0", realcodex.Version} {
		p := newPrefix(t, version, global)
		p.ask("x")
		p.env[1] += ":/another"
		want := p.direct("x")
		p.useTrap()
		p.wantEqual(version+" with another PATH", p.shim("x"), want)
		p.useNode()
		p.env[1] += ":"
		p.wantEqual(version+" with an empty entry of PATH", p.shim("x"), p.direct("x"))
	}
}

// TestNativeLaunchVariables: the answer holds while the variables that the launcher read are as they were, and Node's own.
func TestNativeLaunchVariables(t *testing.T) {
	t.Parallel()
	p := newPrefix(t, realcodex.Version, global)
	p.ask("x")
	for _, more := range []string{"npm_config_user_agent=bun/1.2", "NODE_PATH=/x", "NODE_OPTIONS=--max-old-space-size=512"} {
		p.compare(more, []string{more})
	}
}

// wantNamed checks that which names the program that is started in the launcher's place, "" for none.
func (p *prefix) wantNamed(native string) {
	p.t.Helper()
	var answer struct{ Codex, Native string }
	run := func(flags ...string) string {
		c := exec.CommandContext(p.t.Context(), filepath.Join(buildDir, "codex"), append([]string{"swop", "which"}, flags...)...)
		c.Dir, c.Env, c.Stderr = filepath.Join(p.dir, "work"), p.env, os.Stderr
		text, err := c.Output()
		p.check(err)
		return string(text)
	}
	p.check(json.Unmarshal([]byte(run("--json")), &answer))
	if want := filepath.Join(p.bin, "codex"); answer.Native != native || answer.Codex != want {
		p.t.Errorf("which names %q, started as %q, want %q as %q", answer.Codex, answer.Native, want, native)
	}
	if said := strings.Contains(run(), "codex (run directly, without npm's launcher)\n"); said != (native != "") {
		p.t.Errorf("that which says how %q is started is %v", native, said)
	}
}
