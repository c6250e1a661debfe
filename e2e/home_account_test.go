//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestResumeAfterRemoval continues a session of an account that was removed since, under another account and without one.
func TestResumeAfterRemoval(t *testing.T) {
	u := newUserWithAccounts(t)
	u.login(outerLogin)
	u.ok(u.exec("begun under work").as("work"))
	u.turn("begun under work")
	before := u.transcripts(filepath.Join(u.shared(), "sessions"))
	u.left("work")
	u.ok(u.swop("remove", "work", "--yes"))
	if got := u.transcripts(filepath.Join(u.shared(), "sessions")); len(got) != 1 || got[0] != before[0] {
		t.Fatalf("transcripts after the removal: %q, want %q", got, before)
	}
	for _, c := range []*command{
		u.codex("exec", "--skip-git-repo-check", "resume", "--last", "continued under personal").as("personal"),
		u.codex("exec", "--skip-git-repo-check", "resume", "--last", "continued without an account"),
	} {
		u.ok(c)
		prompt := c.Args[len(c.Args)-1]
		if r := u.turn(prompt); !r.Asks("begun under work") {
			t.Errorf("%q does not know what was begun under work", prompt)
		}
	}
	if got := u.transcripts(filepath.Join(u.shared(), "sessions")); len(got) != 1 {
		t.Errorf("transcripts in the end: %q, want one", got)
	}
	u.wantBearers(map[string]int{workLogin: 1, personalLogin: 1, outerLogin: 1})
}

// TestResumeAfterRename continues a session of an account that was renamed since.
func TestResumeAfterRename(t *testing.T) {
	u := newUserWithAccounts(t)
	u.ok(u.exec("begun under work").as("work"))
	u.turn("begun under work")
	u.left("work")
	u.ok(u.swop("rename", "work", "office"))
	for _, acct := range []string{"office", "personal"} {
		prompt := "continued under " + acct
		u.ok(u.codex("exec", "--skip-git-repo-check", "resume", "--last", prompt).as(acct))
		if r := u.turn(prompt); !r.Asks("begun under work") {
			t.Errorf("%q does not know what was begun under work", prompt)
		}
	}
}

// TestPrivateAccount has an account with private transcripts, with codex's own databases.
func TestPrivateAccount(t *testing.T) {
	u := newUser(t)
	u.add("work", workLogin)
	u.ok(u.swop("add", "agent", "--state", "private", "--with-api-key").fed(personalLogin))
	u.ok(u.exec("said by work").as("work"))
	u.ok(u.exec("said by agent").as("agent"))
	u.ok(u.codex("exec", "--skip-git-repo-check", "resume", "--last", "more of agent").as("agent"))
	if r := u.turn("more of agent"); !r.Asks("said by agent") || r.Asks("said by work") || r.Bearer != personalLogin {
		t.Errorf("the private account resumes another's transcript, or sends another's token: %q", r.Body)
	}
	for dir, never := range map[string]string{u.shared(): "said by agent", u.sandbox("agent"): "said by work"} {
		u.nowhere(dir, never)
	}
	if got := u.files(u.sandbox("agent"), "state_*.sqlite"); len(got) != 1 {
		t.Errorf("databases of the private account: %q, want its own", got)
	}
	kept := filepath.Join(u.home, "kept")
	u.left("agent")
	u.want(4, u.swop("remove", "agent", "--yes"))
	u.ok(u.swop("remove", "agent", "--yes", "--keep-sessions", kept))
	if got := u.transcripts(kept); len(got) != 1 {
		t.Errorf("transcripts kept: %q, want one", got)
	}
}

// nowhere checks that no file below dir has the text, without following links.
func (u *user) nowhere(dir, text string) {
	u.t.Helper()
	for _, file := range u.files(dir, "*") {
		if data, err := os.ReadFile(file); err == nil && strings.Contains(string(data), text) {
			u.t.Errorf("%q has %q in it", file, text)
		}
	}
}

// TestSharedHomeGone has the shared codex home on a disk that is not mounted: codex does not run, and does not create new state.
func TestSharedHomeGone(t *testing.T) {
	u := newUserWithAccounts(t)
	u.ok(u.exec("begun under work").as("work"))
	u.left("work")
	away := filepath.Join(u.home, "away")
	if err := os.Rename(u.shared(), away); err != nil {
		t.Fatal(err)
	}
	r := u.want(125, u.exec("under nobody").as("work"))
	if !strings.Contains(r.stderr, "codex swop sync --shared-home DIR") {
		t.Errorf("codex says %q, want a hint how the shared home is moved", r.stderr)
	}
	u.absent(u.shared())
	u.ok(u.swop("sync", "--shared-home", away))
	u.ok(u.codex("exec", "--skip-git-repo-check", "resume", "--last", "continued there").as("personal"))
	if r := u.turn("continued there"); !r.Asks("begun under work") {
		t.Error("what was begun before the move is not known after it")
	}
	u.absent(u.shared())
}

// TestHomeInCommandOfTheModel makes the model ask what a session sees: codex's own shell sees the same.
func TestHomeInCommandOfTheModel(t *testing.T) {
	u := newHomeUser(t)
	script := "git config user.email; npm config get prefix; bash -lc 'mine; nvm'; cat ~/.gitignore"
	want := u.outside(script)
	u.model.Call(script)
	u.ok(u.exec("tell me who I am", "--dangerously-bypass-approvals-and-sandbox").as("work"))
	u.turn("tell me who I am")
	if got := u.withRealHome(u.turn("me@example.com").Output()); !strings.Contains(got, want) {
		t.Errorf("the model's command prints %q, want %q", got, want)
	}
}
