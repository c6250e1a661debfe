package wine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// Files and directories are one in all homes; what a program replaces is shared at rest, and the version that it replaced is kept.
func TestShared(t *testing.T) {
	u := windows(t)
	u.fake()
	testhome.NoError(t, os.MkdirAll(filepath.Join(u.home(""), "skills"), 0o700))
	testhome.PutText(t, filepath.Join(u.home(""), "config.toml"), "first=1\n")
	for _, key := range []string{"work", "home"} {
		u.ok("", "swop", "add", key, "--no-login")
		u.ok(key, "args")
	}
	same := func(name, want string) {
		t.Helper()
		for _, key := range []string{"", "work", "home"} {
			if got := testhome.TextOf(filepath.Join(u.home(key), name)); got != want {
				t.Errorf("%s of %q is %q, want %q", name, key, got, want)
			}
		}
	}
	same("config.toml", "first=1\n")

	u.ok("work", "write", `C:\users\`+u.name+`\.swop\accounts\work\home\.codex\config.toml`, "second=2")
	u.ok("home", "args")
	same("config.toml", "second=2\n")
	if r := u.ok("", "swop", "history"); !strings.Contains(r.out, "config.toml") {
		t.Errorf("history prints\n%s%s", r.out, r.stderr)
	}
	kept, err := filepath.Glob(filepath.Join(u.profile, ".swop", "kept", "*", ".codex", "config.toml"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("kept: %q, %v", kept, err)
	}

	testhome.PutText(t, filepath.Join(u.home(""), "config.toml.new"), "third=3\n") // as an editor outside does
	testhome.NoError(t, os.Rename(filepath.Join(u.home(""), "config.toml.new"), filepath.Join(u.home(""), "config.toml")))
	u.ok("home", "args")
	u.ok("work", "args")
	same("config.toml", "third=3\n")

	testhome.PutText(t, filepath.Join(u.home("work"), "skills", "mine.md"), "a skill") // through the junction
	same("skills/mine.md", "a skill")
	u.ok("work", "mkdir", `C:\users\`+u.name+`\.swop\accounts\work\home\.codex\brand-new`)
	testhome.PutText(t, filepath.Join(u.home("work"), "brand-new", "entry"), "new")
	u.ok("work", "args")
	u.ok("home", "args")
	same("brand-new/entry", "new")
	if r := u.ok("", "swop", "doctor"); r.status != 0 {
		t.Errorf("doctor: %s%s", r.out, r.stderr)
	}
	u.lockedFile()
	same("config.toml", "locked=4\n")
	u.setupInside()
}

// lockedFile replaces a file that another program then keeps open, so that nobody can rename it: it stays, without a copy in kept/, and
// is shared once that program has ended.
func (u *user) lockedFile() {
	u.t.Helper()
	file := u.win(".swop", "accounts", "work", "home", ".codex", "config.toml")
	u.ok("", "swop", "run", "home", "--", at("fake", "codex.exe"), "write", file, "locked=4")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	holder := u.cmd(ctx, nil, at("fake", "codex.exe"), "hold", file)
	out, err := holder.StdoutPipe()
	testhome.NoError(u.t, err)
	testhome.NoError(u.t, holder.Start())
	_, err = out.Read(make([]byte, 4))
	testhome.NoError(u.t, err)
	kept, err := os.ReadDir(filepath.Join(u.profile, ".swop", "kept"))
	u.ok("work", "args")
	again, err2 := os.ReadDir(filepath.Join(u.profile, ".swop", "kept"))
	testhome.NoError(u.t, errors.Join(err, err2))
	if got := testhome.TextOf(filepath.Join(u.home("work"), "config.toml")); got != "locked=4\n" || len(again) != len(kept) {
		u.t.Errorf("a locked file has %q, kept/ %d entries before and %d now", got, len(kept), len(again))
	}
	testhome.NoError(u.t, holder.Process.Kill())
	_ = holder.Wait() // it was killed
	u.ok("work", "args")
	u.ok("home", "args")
}

// All accounts share the set-up of codex's sandbox that a session made first, except its marker.
func (u *user) setupInside() {
	t := u.t
	t.Helper()
	set := setUp(t, u.home("work"))
	u.ok("work", "args")
	u.ok("home", "args")
	set.check(t, u.home("work"))
	delete(set, ".sandbox/setup_marker.json")
	set.check(t, u.home(""))
	set.check(t, u.home("home"))
}
