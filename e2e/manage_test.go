//go:build linux

package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestAddRollsBack(t *testing.T) {
	u := newUser(t)
	u.add("work", workLogin)
	u.want(1, u.swop("add", "broken", "--with-api-key").fed(""))
	u.wantAccounts("work")
	u.want(5, u.swop("add", "Work", "--with-api-key").fed(personalLogin))
	u.wantLogin(u.codex("login", "status").as("work"), workLogin)
	u.absent(filepath.Join(u.shared(), "auth.json"))
}

func TestAddCancelled(t *testing.T) {
	u := newUser(t)
	u.add("work", workLogin)
	w := u.openTerminal("sleep 300 | codex swop add broken --with-api-key")
	w.await("Reading API key from stdin")
	w.tmux("send-keys", "C-c")
	if got := w.wait(); got == "0" {
		t.Errorf("a cancelled swop add exits %q, want a failure", got)
	}
	u.wantAccounts("work")
}

// TestLoginCancelled leaves a login over another one when codex has opened the browser: 0.169 has deleted what it found by then.
func TestLoginCancelled(t *testing.T) {
	u := newUser(t)
	u.openAI()
	u.add("work", workLogin)
	for _, command := range []string{"codex swop login work", "SWOP_ACCOUNT=work codex login"} {
		w := u.openTerminal(command)
		w.await("Replace it? [y/N]")
		w.tmux("send-keys", "y", "Enter")
		w.await("local login server")
		u.absent(filepath.Join(u.sandbox("work"), "auth.json"))
		w.tmux("send-keys", "C-c")
		w.await("keeps the login that it had")
		if got := w.wait(); got != "130" {
			t.Errorf("%s, cancelled, exits %s, want 130", command, got)
		}
		u.wantLogin(u.codex("login", "status").as("work"), workLogin)
	}
}

func TestAddHungUp(t *testing.T) {
	u := newUser(t)
	u.add("work", workLogin)
	w := u.openTerminal("sleep 300 | codex swop add broken --with-api-key")
	w.await("Reading API key from stdin")
	w.close()
	eventually(t, "the end of swop add", func() bool { return len(processes(t, u.home)) == 0 })
	u.list() // tidies up what is left
	u.wantAccounts("work")
}

// TestAddKilled kills swop at the login, which then fails: the next command tidies up.
func TestAddKilled(t *testing.T) {
	u := newUser(t)
	u.add("work", workLogin)
	u.endLogin(u.killAdd("broken"), "")
	u.list()
	u.wantAccounts("work")
}

// TestAddKilledBeforeLogin kills swop at the login, which then succeeds: the account is complete.
func TestAddKilledBeforeLogin(t *testing.T) {
	u := newUser(t)
	u.endLogin(u.killAdd("orphan"), workLogin)
	u.wantLogin(u.codex("login", "status").as("orphan"), workLogin)
	u.wantAccounts("orphan")
}

// killAdd kills a `codex swop add` whose codex waits for a key at its standard input, which it returns.
func (u *user) killAdd(label string) *os.File {
	u.t.Helper()
	r, stdin, err := os.Pipe()
	if err != nil {
		u.t.Fatal(err)
	}
	defer r.Close()
	c := u.swop("add", label, "--with-api-key")
	c.Stdin, c.Stdout, c.Stderr = r, nil, nil // nothing to wait for: codex keeps running
	u.start(c)
	if !eventually(u.t, "codex login", func() bool { return len(processes(u.t, u.accounts())) > 0 }) {
		u.t.FailNow()
	}
	if err := c.Process.Kill(); err != nil {
		u.t.Fatal(err)
	}
	if r := u.finish(c); r.status != -1 {
		u.t.Fatalf("%s exits %d before it is killed", c, r.status)
	}
	return stdin
}

// endLogin gives the login left by killAdd its key and waits for its end.
func (u *user) endLogin(stdin *os.File, key string) {
	u.t.Helper()
	if _, err := stdin.WriteString(key); err != nil {
		u.t.Fatal(err)
	}
	if err := stdin.Close(); err != nil {
		u.t.Fatal(err)
	}
	eventually(u.t, "the end of codex login", func() bool { return len(processes(u.t, u.accounts())) == 0 })
}

func TestRemove(t *testing.T) {
	u := newUserWithAccounts(t)
	u.login(outerLogin)
	u.ok(u.swop("use", "work"))
	u.ok(u.exec("remember me"))
	u.want(4, u.swop("remove", "work"))
	u.wantLogin(u.codex("login", "status"), workLogin)

	u.ok(u.swop("remove", "work", "--yes"))
	u.wantAccounts("personal")
	u.wantLogin(u.codex("login", "status").as("personal"), personalLogin)
	u.wantLogin(u.codex("login", "status"), outerLogin) // none is active now
	if got := u.transcripts(filepath.Join(u.shared(), "sessions")); len(got) != 1 {
		t.Errorf("transcripts after the removal: %q, want one", got)
	}
	u.wantNowhere(workLogin)
	u.want(3, u.swop("remove", "work", "--yes"))
}

func TestRename(t *testing.T) {
	u := newUserWithAccounts(t)
	u.ok(u.swop("use", "work"))
	u.ok(u.swop("rename", "work", "Big Clients"))
	u.wantAccounts("big-clients", "personal")
	u.wantLogin(u.codex("login", "status").as("big-clients"), workLogin)
	u.wantLogin(u.codex("login", "status"), workLogin) // still the active one
	if !u.list()["Big Clients"].Active {
		t.Errorf("list after renaming the active account: %+v, want Big Clients active", u.list())
	}
	u.ok(u.exec("under the new name"))
	if got := u.turn("under the new name").Bearer; got != workLogin {
		t.Errorf("the renamed account sends %q, want %q", got, workLogin)
	}
	u.want(5, u.swop("rename", "personal", "big_clients"))
	u.wantLogin(u.codex("login", "status").as("personal"), personalLogin)
}

// wantAccounts checks the keys of the accounts on disk, sorted, and that the list has as many.
func (u *user) wantAccounts(keys ...string) {
	u.t.Helper()
	entries, err := os.ReadDir(u.accounts())
	if err != nil {
		u.t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(u.accounts(), e.Name(), "tombstone")); err != nil { // the links of a removed one do not count
			got = append(got, e.Name())
		}
	}
	if !slices.Equal(got, keys) || len(u.list()) != len(keys) {
		u.t.Errorf("accounts on disk %q, in the list %+v, want %q", got, u.list(), keys)
	}
}

// wantNowhere checks that no file of the home holds the secret. A server that runs may remove some meanwhile.
func (u *user) wantNowhere(secret string) {
	u.t.Helper()
	err := filepath.WalkDir(u.home, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return ignoreMissing(err)
		}
		content, err := os.ReadFile(name)
		if bytes.Contains(content, []byte(secret)) {
			u.t.Errorf("%q holds %q", name, secret)
		}
		return ignoreMissing(err)
	})
	if err != nil {
		u.t.Fatal(err)
	}
}
