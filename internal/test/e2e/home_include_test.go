//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// A conditional include by a path below ~ is resolved by HOME: the only part of git that a sandboxed HOME changes.

// newClientUser has a repository below ~/clients, where its commits must have another e-mail address.
func newClientUser(t *testing.T) homeUser {
	t.Helper()
	u := newHomeUser(t)
	u.write(".gitconfig", "[user]\n\tname = Me\n\temail = me@example.com\n[includeIf \"gitdir:~/clients/\"]\n\tpath = ~/clients.inc\n")
	u.write("clients.inc", "[user]\n\temail = me@client.example\n")
	u.outside("git init -q ~/clients/acme")
	return u
}

func TestHomeIncludeIf(t *testing.T) {
	u := newClientUser(t)
	acme := "cd " + filepath.Join(u.home, "clients", "acme") + " && git config user.email"
	if got := u.outside(acme); got != "me@client.example\n" {
		t.Fatalf("outside the e-mail address is %q, want the client's: the test proves nothing", got)
	}
	if got := u.inside(acme); got != "me@example.com\n" {
		t.Errorf("inside the e-mail address is %q, want %q: if it is the client's now, docs/limits.md and doctor need not warn any more", got,
			"me@example.com\n")
	}
	// where the working directory was reached through the session's own ~, git matches that name too
	if got := u.inside("cd ~/clients/acme && git config user.email"); got != "me@client.example\n" {
		t.Errorf("inside, through ~, the e-mail address is %q, want the client's", got)
	}
	if r := u.run(u.swop("doctor")); !strings.Contains(r.stdout, `has an includeIf "gitdir:~…"`) ||
		!strings.Contains(r.stdout, `isolation = "codex-home"`) {
		t.Errorf("doctor does not notice the conditional include: %q %q", r.stdout, r.stderr)
	}
}

func TestHomeIncludeIfIsolated(t *testing.T) {
	u := newClientUser(t)
	u.write(".config/swop/config.toml", "isolation = \"codex-home\"\n")
	u.same("cd "+filepath.Join(u.home, "clients", "acme")+" && git config user.email", "me@client.example\n")
	u.same("git config --list --show-origin", "file:"+u.home+"/.gitconfig\tuser.email=me@example.com\n")
	u.wantLogin(u.codex("login", "status").as("work"), workLogin)
}
