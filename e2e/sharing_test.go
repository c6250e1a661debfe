//go:build linux

package e2e

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"swop/e2e/responses"
)

// sessionsEach is for a long run:
//
//	go test ./e2e -run '^TestExecAtTheSameTime$' -sessions 20
var sessionsEach = flag.Int("sessions", 3, "how many sessions of each of two accounts run at the same `time`")

func TestExecAtTheSameTime(t *testing.T) {
	u := newUserWithAccounts(t)
	u.ok(u.swop("use", "work"))
	u.ok(u.exec("the very first of work")) // makes the databases, which later ones open at the same time
	u.turn("the very first of work")

	logins := map[string]string{"work": workLogin, "personal": personalLogin}
	var sessions []*command
	release := u.model.Hold()
	for i := range *sessionsEach {
		sessions = append(sessions,
			u.start(u.exec(fmt.Sprintf("round %d of work", i))),
			u.start(u.exec(fmt.Sprintf("round %d of personal", i)).as("personal")))
	}
	for i := range *sessionsEach {
		for acct, login := range logins {
			prompt := fmt.Sprintf("round %d of %s", i, acct)
			if got := u.turn(prompt).Bearer; got != login {
				t.Errorf("%q is asked with %q, want %q", prompt, got, login)
			}
		}
	}
	release() // only now: all run at the same time
	for _, c := range sessions {
		if r := u.finish(c); r.status != 0 || r.stdout != responses.Reply+"\n" {
			t.Errorf("%s exits %d: %q, %q", c, r.status, r.stdout, r.stderr)
		}
	}
	u.wantBearers(map[string]int{workLogin: *sessionsEach + 1, personalLogin: *sessionsEach})
	u.wantShared(2**sessionsEach + 1)
	u.wantComplete(2**sessionsEach + 1)
	if r := u.ok(u.swop("history", "--json")); strings.Contains(r.stdout, `"changed"`) || strings.Contains(r.stdout, `"older"`) || strings.Contains(r.stdout, `"apart"`) {
		t.Errorf("want no conflicting versions: %q", r.stdout)
	}
}

// wantComplete checks that this many transcripts have the answer, which comes last.
func (u *user) wantComplete(want int) {
	u.t.Helper()
	complete := 0
	for _, file := range u.transcripts(filepath.Join(u.shared(), "sessions")) {
		if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), responses.Reply) {
			complete++
		}
	}
	if complete != want {
		u.t.Errorf("transcripts with the answer: %d, want %d", complete, want)
	}
}

func TestResumeFromOtherAccount(t *testing.T) {
	u := newUserWithAccounts(t)
	u.ok(u.exec("begun under work").as("work"))
	u.turn("begun under work")
	u.ok(u.codex("exec", "--skip-git-repo-check", "resume", "--last", "continued under personal").as("personal"))
	r := u.turn("continued under personal")
	if r.Bearer != personalLogin {
		t.Errorf("resume under personal sends %q, want %q", r.Bearer, personalLogin)
	}
	if !r.Asks("begun under work") {
		t.Error("resume under personal does not know what was begun under work")
	}
	u.wantShared(1)
}

func TestMCPServersAreShared(t *testing.T) {
	u := newUserWithAccounts(t)
	u.ok(u.codex("mcp", "add", "tool-of-work", "--", "/bin/true").as("work"))
	for _, acct := range []string{"work", "personal"} {
		if r := u.ok(u.codex("mcp", "list").as(acct)); !strings.Contains(r.stdout, "tool-of-work") {
			t.Errorf("mcp list under %s says %q, want tool-of-work in it", acct, r.stdout)
		}
	}
	if r := u.ok(u.direct("mcp", "list")); !strings.Contains(r.stdout, "tool-of-work") {
		t.Errorf("mcp list without the shim says %q, want tool-of-work in it", r.stdout)
	}
	for _, key := range []string{"work", "personal"} {
		u.wantLink(filepath.Join(u.sandbox(key), "config.toml"))
	}
}

func TestLogoutOfOne(t *testing.T) {
	u := newUserWithAccounts(t)
	u.login(outerLogin)
	u.ok(u.codex("logout").as("work"))
	u.wantLogin(u.codex("login", "status").as("work"), "")
	u.wantLogin(u.codex("login", "status").as("personal"), personalLogin)
	u.wantLogin(u.codex("login", "status"), outerLogin)
	u.absent(filepath.Join(u.sandbox("work"), "auth.json"))

	u.ok(u.codex("login", "--with-api-key").as("work").fed("sk-work-0123456789-next"))
	u.wantLogin(u.codex("login", "status").as("work"), "sk-work-0123456789-next")
	u.wantLogin(u.codex("login", "status").as("personal"), personalLogin)
	u.wantLogin(u.codex("login", "status"), outerLogin)

	// the verbs do the same
	u.ok(u.swop("logout", "personal", "--yes"))
	u.wantLogin(u.codex("login", "status").as("personal"), "")
	u.ok(u.swop("login", "personal", "--with-api-key").fed("sk-home-0123456789-back"))
	u.wantLogin(u.codex("login", "status").as("personal"), "sk-home-0123456789-back")
	u.wantLogin(u.codex("login", "status").as("work"), "sk-work-0123456789-next")
}

// wantBearers checks how often each token was sent, and that no other ever was.
func (u *user) wantBearers(want map[string]int) {
	u.t.Helper()
	got := map[string]int{}
	for _, b := range u.model.Bearers() {
		got[b]++
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		u.t.Errorf("tokens sent: %v, want %v", got, want)
	}
}

// wantShared checks that this many transcripts and the databases are in the shared codex home, and that no sandbox
// holds anything but its own: the private entries, and links.
func (u *user) wantShared(transcripts int) {
	u.t.Helper()
	if got := u.transcripts(filepath.Join(u.shared(), "sessions")); len(got) != transcripts {
		u.t.Errorf("transcripts in ~/.codex/sessions: %q, want %d", got, transcripts)
	}
	if len(u.files(u.shared(), "state_*.sqlite")) == 0 {
		u.t.Error("no state database in ~/.codex")
	}
	for _, key := range []string{"work", "personal"} {
		if got := append(u.transcripts(u.sandbox(key)), u.files(u.sandbox(key), "*.sqlite*")...); len(got) > 0 {
			u.t.Errorf("inside the sandbox of %s: %q, want none", key, got)
		}
		u.wantPrivate(key)
		u.wantLink(filepath.Join(u.sandbox(key), "sessions"))
	}
}

// private are the entries of a codex home that are an account's own.
var private = []string{
	"auth.json", "auth.lock", "auth.json.lock", "secrets", "app-server-control", "app-server-daemon", "models_cache.json",
	"cloud-requirements-cache.json", "cloud-config-bundle-cache.json", "cache", "tmp", ".sandbox_migration",
	".personality_migration", ".credentials.json",
}

// wantPrivate checks that each entry of the account's codex home is a link or private, and that auth.json is regular,
// readable by its owner only, and has a login.
func (u *user) wantPrivate(key string) {
	u.t.Helper()
	entries, err := os.ReadDir(u.sandbox(key))
	if err != nil {
		u.t.Fatal(err)
	}
	for _, e := range entries {
		if e.Type() != fs.ModeSymlink && !slices.Contains(private, e.Name()) {
			u.t.Errorf("the sandbox of %s has its own %q, want a link", key, e.Name())
		}
	}
	auth := filepath.Join(u.sandbox(key), "auth.json")
	info, err := os.Lstat(auth)
	if err != nil {
		u.t.Fatal(err)
	}
	if info.Mode() != 0o600 || info.Size() == 0 {
		u.t.Errorf("%q has mode %v and %d bytes, want -rw------- and a login", auth, info.Mode(), info.Size())
	}
}

// wantLink checks that name is a symbolic link to the entry of the shared codex home with the same name.
func (u *user) wantLink(name string) {
	u.t.Helper()
	want := filepath.Join(u.shared(), filepath.Base(name))
	if got, err := os.Readlink(name); got != want {
		u.t.Errorf("%q leads to %q (%v), want %q", name, got, err, want)
	}
}
