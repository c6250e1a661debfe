package wine

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"swop/internal/test/e2e/responses"
	"swop/internal/test/testhome"
	"swop/internal/test/testprogram"
)

// turn returns the arguments of a turn that asks for text.
func turn(text string) []string { return []string{"exec", "--skip-git-repo-check", text} }

// Two accounts play turns with the real codex: each request has its account's own key, and the transcripts are shared. Codex's sandbox was
// set up in the shared home: both accounts see that, and of one another's diagnostics nothing.
func TestTurns(t *testing.T) {
	testhome.Needs(t, testprogram.Repeats)
	u := windows(t)
	u.realCodex("0.128.0")
	server := responses.Start()
	defer server.Close()
	testhome.PutFile(t, filepath.Join(u.home(""), "config.toml"), server.Config())
	set := setUp(t, u.home(""))
	for _, key := range []string{"work", "home"} {
		u.ok("", "swop", "add", key, "--no-login")
		u.input = "sk-" + key + "\n"
		u.ok(key, "login", "--with-api-key")
	}
	for _, key := range []string{"work", "home", "work"} {
		u.input = "\n"
		if r := u.ok(key, turn("hi from "+key)...); !strings.Contains(r.out, responses.Reply) {
			t.Errorf("the turn of %s printed %q, %q", key, r.out, r.stderr)
		}
	}
	if got, want := server.Bearers(), []string{"sk-work", "sk-home", "sk-work"}; !slices.Equal(slices.Compact(got), want) {
		t.Errorf("the server got the keys %q, want %q", got, want)
	}
	for _, key := range []string{"", "work", "home"} {
		if n := len(transcripts(t, u.home(key))); n != 3 {
			t.Errorf("%q sees %d transcripts, want 3", key, n)
		}
	}
	if testhome.Exists(filepath.Join(u.home(""), "auth.json")) {
		t.Error("the shared home has a login")
	}
	set.check(t, u.home(""))
	testhome.PutText(t, filepath.Join(u.home("work"), ".sandbox", "sandbox.log"), "of work")
	u.input = "\n"
	u.ok("home", turn("again")...)
	set.check(t, u.home("work"))
	set.check(t, u.home("home"))
	set.check(t, u.home(""))
	for _, key := range []string{"", "home"} {
		if log := filepath.Join(u.home(key), ".sandbox", "sandbox.log"); testhome.Exists(log) {
			t.Errorf("%s is another account's", log)
		}
	}
}

// setup is what the elevated sandbox of codex leaves in a codex home.
type setup map[string]string

func setUp(t *testing.T, home string) setup {
	s := setup{
		".sandbox-secrets/sandbox_users.json": "the users", ".sandbox-bin/codex-command-runner.exe": "a program", ".sandbox/setup_marker.json": `{"version":5}`,
	}
	for name, text := range s {
		testhome.PutFile(t, filepath.Join(home, name), text)
	}
	return s
}

// check fails unless the home shows the set-up as it was.
func (s setup) check(t *testing.T, home string) {
	t.Helper()
	for name, want := range s {
		if got := testhome.TextOf(filepath.Join(home, name)); got != want {
			t.Errorf("%s in %s is %q, want %q", name, home, got, want)
		}
	}
}

// transcripts returns those that a codex home shows.
func transcripts(t *testing.T, home string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(home, "sessions", "*", "*", "*", "rollout-*.jsonl"))
	testhome.NoError(t, err)
	return files
}
