//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// With the sandbox's CODEX_HOME, codex 0.169 takes ~/.codex for the configuration of a project: where it is started in ~ itself, and
// below it where ~ is a git root. These tests hold what that changes, and docs/limits.md names it. If one of them fails because
// the difference is gone, remove it from that page.

// A directoryUser logs each start of its MCP server and each run of its notify hook.
type directoryUser struct {
	homeUser
	log string
}

// stdioServer is an MCP server without tools. Its first argument is a log of its starts; with a second one it notes there whether it can read that
// file, another account's login.
const stdioServer = `const fs = require('fs');
let saw = 'mcp';
if (process.argv[3]) try { fs.readFileSync(process.argv[3]); saw = 'a login'; } catch { saw = 'nothing'; }
fs.appendFileSync(process.argv[2], saw + '\n');
require('readline').createInterface({input: process.stdin}).on('line', line => {
  const m = JSON.parse(line);
  if (m.id === undefined) return;
  const result = m.method === 'initialize'
    ? {protocolVersion: m.params.protocolVersion, capabilities: {tools: {}}, serverInfo: {name: 'logger', version: '1'}}
    : {tools: []};
  process.stdout.write(JSON.stringify({jsonrpc: '2.0', id: m.id, result}) + '\n');
}).on('close', () => process.exit(0));
`

func newDirectoryUser(t *testing.T) directoryUser {
	t.Helper()
	u := directoryUser{homeUser: homeUser{newUser(t)}}
	u.log = filepath.Join(u.home, "work", "log")
	u.write("work/server.js", stdioServer)
	u.write(".codex/config.toml", fmt.Sprintf("notify = ['/bin/sh', '-c', 'echo notify >> %s']\n", u.log)+u.model.Config()+
		fmt.Sprintf("\n[mcp_servers.logger]\ncommand = 'node'\nargs = ['%s/server.js', '%s']\n", u.work, u.log))
	u.write(".codex/other.config.toml", "model = \"gpt-other\"\n")
	u.add("work", workLogin)
	u.login(outerLogin)
	return u
}

// trusted is the table of config.toml that makes the HOME a trusted project.
func (u directoryUser) trusted() {
	u.t.Helper()
	file := filepath.Join(u.shared(), "config.toml")
	text := readText(u.t, file)
	u.write(".codex/config.toml", text+fmt.Sprintf("\n[projects.%q]\ntrust_level = \"trusted\"\n", u.home))
}

// A sight is the result of a call: what it says on stderr, except what differs from call to call, and what it started.
type sight struct {
	said    []string
	started string
}

func (u directoryUser) sight(c *command, dir string) sight {
	u.t.Helper()
	if err := os.Remove(u.log); err != nil && !os.IsNotExist(err) {
		u.t.Fatal(err)
	}
	c.Dir = dir
	r := u.ok(c)
	started := readText(u.t, u.log)
	session := regexp.MustCompile(`session id: \S+`)
	return sight{strings.Split(session.ReplaceAllString(r.stderr, "session id"), "\n"), started}
}

// compare runs codex exec in dir without and with the account, and returns what is said only without it, and only with it. MCP
// servers and hooks must run once.
func (u directoryUser) compare(dir string, flags ...string) (missing, more []string) {
	u.t.Helper()
	args := execArgs("where am I?", flags...)
	direct, shim := u.sight(u.direct(args...), dir), u.sight(u.codex(args...).as("work"), dir)
	for _, s := range []sight{direct, shim} {
		if s.started != "mcp\nnotify\n" {
			u.t.Errorf("codex exec in %q starts %q, want the MCP server and the hook, once each", dir, s.started)
		}
	}
	return without(direct.said, shim.said), without(shim.said, direct.said)
}

// without returns the lines that others does not have, or has less often.
func without(lines, others []string) []string {
	others = slices.Clone(others)
	var left []string
	for _, line := range lines {
		if at := slices.Index(others, line); at >= 0 {
			others = slices.Delete(others, at, at+1)
		} else {
			left = append(left, line)
		}
	}
	return left
}

// wantMore checks that the only difference are these lines, which are said more with the account; each is the beginning of one.
func (u directoryUser) wantMore(dir string, beginnings ...string) {
	u.t.Helper()
	missing, more := u.compare(dir)
	same := len(missing) == 0 && len(more) == len(beginnings)
	for i := range beginnings {
		same = same && strings.HasPrefix(more[i], beginnings[i])
	}
	if !same {
		u.t.Errorf("in %q codex under an account says less: %q, and more: %q, want only more: %q", dir, missing, more, beginnings)
	}
}

const untrustedProject = "warning: Untrusted project-local configuration is disabled."

// ignoredKeys is what codex says of the user's own config.toml when it takes it for a project's.
func (u directoryUser) ignoredKeys() string {
	return "warning: Ignored unsupported project-local config keys in " + filepath.Join(u.shared(), "config.toml") + ": model_provider, model_providers, notify."
}

func TestDirectoryHome(t *testing.T) {
	u := newDirectoryUser(t)
	u.wantMore(u.work)
	u.wantMore(u.home, untrustedProject)
	u.write(".config/swop/config.toml", "isolation = \"codex-home\"\n") // CODEX_HOME makes the difference, not HOME
	u.wantMore(u.home, untrustedProject)
	u.write(".config/swop/config.toml", "")
	u.trusted()
	u.wantMore(u.work)
	u.wantMore(u.home, u.ignoredKeys(), u.ignoredKeys())
	u.outside("git init -q ~")
	u.wantMore(u.work, u.ignoredKeys(), u.ignoredKeys())
}

// TestDirectoryHomeProfile has -p NAME in ~: there config.toml, taken for the project's, outranks the profile once it is trusted.
func TestDirectoryHomeProfile(t *testing.T) {
	u := newDirectoryUser(t)
	for _, dir := range []string{u.work, u.home} {
		if missing, more := u.compare(dir, "-p", "other"); slices.Contains(missing, "model: gpt-other") {
			t.Errorf("in %q, which is not trusted, -p is without effect under an account: %q", dir, more)
		}
	}
	u.trusted()
	if missing, _ := u.compare(u.work, "-p", "other"); len(missing) > 0 {
		t.Errorf("in %q -p is without effect under an account: %q", u.work, missing)
	}
	missing, more := u.compare(u.home, "-p", "other")
	if !slices.Contains(missing, "model: gpt-other") || !slices.Contains(more, "model: gpt-5") {
		t.Errorf("in ~ codex -p under an account says less: %q, and more: %q, want the model of config.toml instead of the profile's", missing, more)
	}
}
