package wine

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"swop/internal/testhome"
)

// fake puts a codex.exe on PATH that does as it is told.
func (u *user) fake() { u.path = append(u.path, at("fake")) }

// The whole life of an account.
func TestLife(t *testing.T) {
	u := windows(t)
	u.fake()
	u.ok("", "swop", "add", "Work Team", "--no-login")
	u.ok("", "swop", "add", "home", "--no-login")
	for _, args := range [][]string{
		{"swop", "use", "home"},
		{"swop", "list"},
		{"swop", "which"},
		{"swop", "doctor"},
		{"swop", "sync"},
		{"swop", "history"},
		{"swop", "sessions"},
		{"swop", "bind", "work-team", u.win("project")},
		{"swop", "bind"},
		{"swop", "env"},
		{"swop", "version"},
		{"swop", "help"},
		{"swop", "completion", "powershell"},
	} {
		testhome.NoError(t, os.MkdirAll(filepath.Join(u.profile, "project"), 0o700))
		if r := u.call("", args...); r.status != 0 && args[1] != "doctor" {
			t.Errorf("codex %q ended with %d\n%s%s", args, r.status, r.out, r.stderr)
		}
	}
	if r := u.ok("", "env", "CODEX_HOME", "SWOP_ACCOUNT"); !strings.Contains(r.out, `CODEX_HOME=`+u.win(".swop", "accounts", "home", "home", ".codex")+"\nSWOP_ACCOUNT=home\n") {
		t.Errorf("codex got\n%s", r.out)
	}
	if r := u.ok("", "swop", "run", "Work Team", "--", at("fake", "codex.exe"), "env", "SWOP_ACCOUNT"); r.out != "SWOP_ACCOUNT=work-team\n" {
		t.Errorf("run: %q", r.out)
	}
	u.ok("", "swop", "rename", "Work Team", "office")
	if r := u.ok("", "swop", "list"); !strings.Contains(r.out, "office") || strings.Contains(r.out, "Work") {
		t.Errorf("after the rename list prints\n%s", r.out)
	}
	u.ok("", "swop", "unbind", u.win("project"))
	u.ok("", "swop", "remove", "office", "--yes")
	if testhome.Exists(filepath.Dir(filepath.Dir(u.home("office")))) {
		t.Error("the sandbox is still there")
	}
	if r := u.ok("", "swop", "list"); strings.Contains(r.out, "office") {
		t.Errorf("after the removal list prints\n%s", r.out)
	}
}

// What a Windows program gets and gives back: arguments, streams, exit statuses.
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
		for _, status := range []int{0, 7, 255} {
			if r := u.call(key, "exit", strconv.Itoa(status)); r.status != status {
				t.Errorf("as %q the status is %d, want %d", key, r.status, status)
			}
		}
	}
	if r := u.run([]string{"SWOP_ACCOUNT=con"}, "args"); r.status != 125 || !strings.Contains(r.stderr, "device") {
		t.Errorf("an account called con: %d, %s", r.status, r.stderr)
	}
	if r := u.call("", "swop", "confine"); r.status == 0 || !strings.Contains(r.stderr, "WSL") {
		t.Errorf("confine: %d, %s", r.status, r.stderr)
	}
}

// When the shim is killed, codex ends too: it stops writing.
func TestKilledShim(t *testing.T) {
	u := windows(t)
	u.fake()
	u.ok("", "swop", "add", "work", "--no-login")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := u.cmd(ctx, []string{"SWOP_ACCOUNT=work"}, at("swop", "codex.exe"), "wait", u.win("beat"))
	testhome.NoError(t, cmd.Start())
	beat := filepath.Join(u.profile, "beat")
	waitFor(t, func() bool { return testhome.Exists(beat) })
	if r := u.call("", "swop", "remove", "work", "--yes"); r.status == 0 || !strings.Contains(r.stderr, "in use") {
		t.Errorf("remove while codex runs: %d, %s", r.status, r.stderr)
	}
	testhome.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	waitFor(t, func() bool {
		before := testhome.TextOf(beat)
		time.Sleep(500 * time.Millisecond)
		return testhome.TextOf(beat) == before
	})
	u.ok("", "swop", "remove", "work", "--yes")
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
