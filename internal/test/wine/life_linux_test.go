package wine

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"swop/internal/disk"
	"swop/internal/test/testhome"
	"swop/internal/test/testprogram"
)

// fake puts a codex.exe on PATH that does as it is told.
func (u *user) fake() { u.path = append(u.path, at("fake")) }

// The whole life of an account.
func TestLife(t *testing.T) {
	testhome.Needs(t, testprogram.Repeats)
	u := windows(t)
	u.fake()
	u.ok("", "swop", "add", "Work Team", "--no-login")
	u.ok("", "swop", "add", "home", "--no-login")
	for _, args := range [][]string{
		{"swop", "use", "home"},
		{"swop", "list"},
		{"swop", "which"},
		{"swop", "doctor"},
		{"swop", "history"},
		{"swop", "sessions"},
		{"swop", "bind", "work-team", u.win("project")},
		{"swop", "bind"},
	} {
		testhome.NoError(t, os.MkdirAll(filepath.Join(u.profile, "project"), 0o700))
		if r := u.call("", args...); r.status != 0 && args[1] != "doctor" {
			t.Errorf("codex %q ended with %d\n%s%s", args, r.status, r.out, r.stderr)
		}
	}
	if r := u.ok("", "env", "CODEX_HOME", "SWOP_ACCOUNT"); !strings.Contains(r.out, `CODEX_HOME=`+
		u.win(".swop", "accounts", "home", "home", ".codex")+"\nSWOP_ACCOUNT=home\n") {
		t.Errorf("codex got\n%s", r.out)
	}
	if r := u.ok("", "swop", "run", "Work Team", "--", at("fake", "codex.exe"), "env", "SWOP_ACCOUNT"); r.out != "SWOP_ACCOUNT=work-team\n" {
		t.Errorf("run: %q", r.out)
	}
	u.logins()
	u.ok("", "swop", "rename", "Work Team", "office")
	if r := u.ok("", "swop", "list"); !strings.Contains(r.out, "office") || strings.Contains(r.out, "Work") {
		t.Errorf("after the rename list prints\n%s", r.out)
	}
	u.ok("", "swop", "unbind", u.win("project"))
	u.ok("", "swop", "remove", "office", "--yes")
	if office := filepath.Dir(filepath.Dir(u.home("office"))); testhome.Exists(filepath.Join(office, "meta.json")) {
		t.Errorf("the sandbox is still there\n%s", testhome.Tree(t, office))
	}
	if !testhome.Exists(filepath.Join(u.home("office"), oldSession)) {
		t.Error("a codex that still runs finds no transcripts any more")
	}
	if r := u.ok("", "swop", "list"); strings.Contains(r.out, "office") {
		t.Errorf("after the removal list prints\n%s", r.out)
	}
}

const (
	oldID      = "01999f3e-0000-7000-8000-000000000001"
	oldSession = "sessions/2026/01/02/rollout-2026-01-02T03-04-05-" + oldID + ".jsonl"
)

// logins brings an old codex home into an account, asks for limits, goes on with a session, and logs an account in and out.
func (u *user) logins() {
	u.t.Helper()
	old := filepath.Join(u.profile, "old")
	testhome.PutFile(u.t, filepath.Join(old, "auth.json"), `{"OPENAI_API_KEY":"sk-old"}`)
	testhome.PutFile(u.t, filepath.Join(old, oldSession), `{"timestamp":"2026-01-02T03:04:05.000Z","type":"session_meta","payload":{"id":"`+
		oldID+
		`","timestamp":"2026-01-02T03:04:05.000Z","cwd":"C:\\","originator":"codex_exec","cli_version":"0.128.0","source":"exec"}}`+"\n")
	login := filepath.Join(u.home("third"), "auth.json")
	u.ok("", "swop", "add", "third", "--from", u.win("old"))
	if !strings.Contains(testhome.TextOf(login), "sk-old") || !testhome.Exists(filepath.Join(u.home("home"), oldSession)) {
		u.t.Error("add --from did not move the login and the transcript")
	}
	for _, c := range []struct {
		args      []string
		status    int
		out, says string
	}{
		{[]string{"usage"}, 1, "an API key has no plan limits", ""},
		{[]string{"next"}, 4, "", "next would bind all of your home"},
		{[]string{"resume", oldID, "--as", "third"}, 0, oldID, ""},
		{[]string{"logout", "third", "--yes"}, 0, "", `account "third" has a login: API key`},
	} {
		r := u.call("", append([]string{"swop"}, c.args...)...)
		if r.status != c.status || !strings.Contains(r.out, c.out) || !strings.Contains(r.stderr, c.says) {
			u.t.Errorf("%q ended with %d\n%s%s", c.args, r.status, r.out, r.stderr)
		}
	}
	if testhome.Exists(login) {
		u.t.Error("logout left the login")
	}
	if r := u.run([]string{"CODEX_FAKE_KEY=sk-new"}, "swop", "login", "third"); r.status != 0 ||
		!strings.Contains(testhome.TextOf(login), "sk-new") {
		u.t.Errorf("login: %d, %s%s", r.status, r.out, r.stderr)
	}
}

// What a Windows program gets and gives back: arguments, streams, exit statuses, its end.
func TestChild(t *testing.T) {
	u := windows(t)
	u.fake()
	u.ok("", "swop", "add", "work", "--no-login")
	hard := []string{"a b", "", `say "hi"`, `back\slash\`, `\"`, "ü€", "%PATH%", "a&b", "^", "*"}
	want := `["a b" "" "say \"hi\"" "back\\slash\\" "\\\"" "ü€" "%PATH%" "a&b" "^" "*"]` + "\n"
	for _, key := range []string{"", "work"} {
		if r := u.ok(key, append([]string{"args"}, hard...)...); r.out != want || r.stderr != "" {
			t.Errorf("as %q codex got %s%s", key, r.out, r.stderr)
		}
		for _, status := range []int{7, 255} {
			if r := u.call(key, "exit", strconv.Itoa(status)); r.status != status {
				t.Errorf("as %q the status is %d, want %d", key, r.status, status)
			}
		}
	}
	u.roots()
	u.killed()
	u.copied()
	if r := u.call("", "swop", "confine"); r.status == 0 || !strings.Contains(r.stderr, "WSL") {
		t.Errorf("confine: %d, %s", r.status, r.stderr)
	}
}

// roots uses roots that are far down, named as the kernel names them, and outside of the profile.
func (u *user) roots() {
	u.t.Helper()
	far := u.win(strings.Repeat("far", 50), strings.Repeat("down", 30))
	for _, root := range []string{far, `\\?\` + u.win("kernel")} {
		env := []string{"SWOP_ROOT=" + root}
		added := u.run(env, "swop", "add", "deep", "--no-login")
		r := u.run(append(env, "SWOP_ACCOUNT=deep"), "env", "CODEX_HOME")
		if want := "CODEX_HOME=" + root + `\accounts\deep\home\.codex` + "\n"; r.out != want || r.status != 0 {
			u.t.Errorf("below %s codex got %q, want %q\n%s%s", root, r.out, want, added.stderr, r.stderr)
		}
	}
	elsewhere := u.t.TempDir()
	testhome.NoError(u.t, os.Symlink(elsewhere, filepath.Join(u.dir, "prefix", "dosdevices", "e:")))
	r := u.run([]string{`SWOP_ROOT=E:\swop`}, "swop", "add", "other", "--no-login")
	if left, err := os.ReadDir(elsewhere); r.status == 0 || !strings.Contains(r.stderr, "outside of your profile") || len(left) > 0 ||
		err != nil {
		u.t.Errorf("a root on drive E: %d, %s%v %v", r.status, r.stderr, left, err)
	}
}

// copied has a second installation first on PATH, and then a copy of the shim without its codex-swop: each starts the next codex.
func (u *user) copied() {
	u.t.Helper()
	second := filepath.Join(drive(u.dir), "second")
	testhome.NoError(u.t, os.CopyFS(second, os.DirFS(filepath.Join(drive(u.dir), "swop"))))
	u.path = append([]string{at("second")}, u.path...)
	for _, key := range []string{"", "work", "work"} {
		if r := u.call(key, "args", "once"); r.out != "[\"once\"]\n" || r.stderr != "" {
			u.t.Errorf("with two installations, as %q: %d, %s%s", key, r.status, r.out, r.stderr)
		}
		if key != "" {
			testhome.NoError(u.t, disk.RemoveIfExists(filepath.Join(second, "codex-swop.exe")))
		}
	}
}

// killed kills the shim: codex ends too, and stops writing.
func (u *user) killed() {
	u.t.Helper()
	u.ok("", "swop", "add", "killed", "--no-login")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := u.cmd(ctx, []string{"SWOP_ACCOUNT=killed"}, at("swop", "codex.exe"), "wait", u.win("beat"))
	testhome.NoError(u.t, cmd.Start())
	beat := filepath.Join(u.profile, "beat")
	waitFor(u.t, func() bool { return testhome.Exists(beat) })
	if r := u.call("", "swop", "remove", "killed", "--yes"); r.status == 0 || !strings.Contains(r.stderr, "in use") {
		u.t.Errorf("remove while codex runs: %d, %s", r.status, r.stderr)
	}
	testhome.NoError(u.t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	waitFor(u.t, func() bool {
		before := testhome.TextOf(beat)
		time.Sleep(500 * time.Millisecond)
		return testhome.TextOf(beat) == before
	})
	u.ok("", "swop", "remove", "killed", "--yes")
}

func waitFor(t *testing.T, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); {
		if time.Now().After(end) {
			t.Fatal("it did not happen")
		}
		time.Sleep(20 * time.Millisecond)
	}
}
