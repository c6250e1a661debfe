//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// The verb starts codex's native program, and asks that for its release: npm's launcher cannot run where node is missing.
func TestSandboxWithoutNode(t *testing.T) {
	testhome.Needs(t, "bwrap")
	u := newUser(t)
	u.add("work", workLogin)
	bare := "PATH=" + strings.Join([]string{u.programs.swop, u.programs.real, u.tools("bwrap")}, ":")
	if r := u.run(u.command(filepath.Join(u.programs.real, "codex"), "--version").with(bare)); r.status != 127 {
		t.Fatalf("npm's launcher exits %d without node, want 127: the test proves nothing", r.status)
	}
	var r result
	eventually(t, "what the launcher starts to be known", func() bool { // another test may link the programs, which changes their times
		u.ok(u.codex("--version"))
		r = u.run(u.swop("sandbox", "--account", "work", "--json", "--", "/bin/sh", "-c", "exit 7").with(bare))
		return r.status == 7
	})
	if !strings.Contains(r.stdout, `"codex_release": "`) {
		t.Errorf("codex swop sandbox exits %d, want 7: %s%s", r.status, r.stdout, r.stderr)
	}
}
