//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// TestSessionOutlivesItsAccount continues a session of an account that is renamed, removed and purged: under its new name, under another
// account and without one.
func TestSessionOutlivesItsAccount(t *testing.T) {
	u := newUserWithAccounts(t)
	u.login(outerLogin)
	u.ok(u.exec("begun under work").as("work"))
	u.turn("begun under work")
	before := u.transcripts(filepath.Join(u.shared(), "sessions"))
	for _, step := range []struct {
		change []string
		under  string
		sends  string
	}{
		{[]string{"rename", "work", "office"}, "office", workLogin},
		{[]string{"remove", "office", "--yes"}, "personal", personalLogin},
		{[]string{"list"}, "", outerLogin},
		{[]string{"uninstall", "--purge", "--yes"}, "", outerLogin},
	} {
		for label := range u.list() {
			u.left(label)
		}
		u.ok(u.swop(step.change...))
		prompt := "continued under <" + step.under + ">"
		u.ok(u.codex("exec", "--skip-git-repo-check", "resume", "--last", prompt).as(step.under))
		if r := u.turn(prompt); r.Bearer != step.sends || !r.Asks("begun under work") {
			t.Errorf("%q is asked with %q, with what was begun: %t; want %q, true", prompt, r.Bearer, r.Asks("begun under work"), step.sends)
		}
	}
	if got := u.transcripts(filepath.Join(u.shared(), "sessions")); len(got) != 1 || got[0] != before[0] {
		t.Errorf("transcripts in the end: %q, want %q", got, before)
	}
	u.wantNowhere(workLogin)
}

// TestSessionElsewhere goes on with a session in a container or a restored backup that has ~/.codex without ~/.swop.
func TestSessionElsewhere(t *testing.T) {
	u := newUserWithAccounts(t)
	u.login(outerLogin)
	u.ok(u.exec("begun under work").as("work"))
	u.turn("begun under work")
	name := filepath.Base(u.transcripts(filepath.Join(u.shared(), "sessions"))[0])
	id := strings.TrimSuffix(name[len("rollout-2006-01-02T15-04-05-"):], ".jsonl")
	again := func() *command { return u.codex("exec", "--skip-git-repo-check", "resume", id, "continued") }
	testhome.NoError(t, os.RemoveAll(u.root))
	if r := u.run(again()); !strings.Contains(r.stderr, "no rollout found") {
		t.Errorf("without the link that docs/several-machines.md names, resume exits %d and says %q", r.status, r.stderr)
	}
	u.ok(u.command("sh", "-c", "mkdir -p ~/.swop/accounts/work && ln -s ~ ~/.swop/accounts/work/home"))
	u.ok(again())
	if r := u.turn("continued"); r.Bearer != outerLogin || !r.Asks("begun under work") {
		t.Errorf("with it the turn has %q", r.Bearer)
	}
}

// TestPrivateAccount has an account with private transcripts, with codex's own databases.
func TestPrivateAccount(t *testing.T) {
	u := newUser(t)
	u.add("work", workLogin)
	release := u.model.Hold()
	c := u.start(u.exec("<held>").as("work"))
	u.turn("<held>")
	testhome.NoError(t, os.RemoveAll(filepath.Join(u.shared(), "sessions"))) // as docs/limits.md has it
	release()
	if r := u.finish(c); r.status != 0 || testhome.Exists(filepath.Join(u.shared(), "sessions")) {
		t.Errorf("without sessions/, codex exits %d, or makes it", r.status)
	}
	u.ok(u.swop("add", "agent", "--state", "private", "--with-api-key").fed(personalLogin))
	u.ok(u.exec("said by work").as("work"))
	u.ok(u.exec("said by agent").as("agent"))
	u.ok(u.codex("exec", "--skip-git-repo-check", "resume", "--last", "more of agent").as("agent"))
	if r := u.turn("more of agent"); !r.Asks("said by agent") || r.Asks("said by work") || r.Bearer != personalLogin {
		t.Errorf("the private account resumes another's transcript, or sends another's token: %q", r.Body)
	}
	for dir, never := range map[string]string{u.shared(): "said by agent", u.sandbox("agent"): "said by work"} {
		if testhome.HoldsText(never, dir) {
			t.Errorf("a file below %q has %q in it", dir, never)
		}
	}
	if got := u.files(u.sandbox("agent"), "state_*.sqlite"); len(got) != 1 {
		t.Errorf("databases of the private account: %q, want its own", got)
	}
	u.left("agent")
	u.want(4, u.swop("remove", "agent", "--yes"))
	u.ok(u.swop("remove", "agent", "--yes", "--delete-sessions"))
}
