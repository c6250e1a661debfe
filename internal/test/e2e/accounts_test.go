//go:build linux

package e2e

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// The logins of the tests. Codex shows the last five characters of a key.
const (
	workLogin     = "sk-work-0123456789-work"
	personalLogin = "sk-home-0123456789-home"
	outerLogin    = "sk-bare-0123456789-bare" // of ~/.codex, with no account
)

// newUserWithAccounts makes a user with two accounts logged in by API key, work and personal.
func newUserWithAccounts(t *testing.T) *user {
	t.Helper()
	u := newUser(t)
	u.add("work", workLogin)
	u.add("personal", personalLogin)
	return u
}

// swop is `codex swop args…`.
func (u *user) swop(args ...string) *command { return u.codex(append([]string{"swop"}, args...)...) }

// add makes an account with a login by API key, which codex reads from the standard input.
func (u *user) add(label, login string) {
	u.t.Helper()
	u.adds(u.swop("add", label, "--with-api-key").fed(login))
}

// adds runs c, a `codex swop add`. No account is active after it: a test says which one it means.
func (u *user) adds(c *command) result {
	u.t.Helper()
	r := u.ok(c)
	if strings.HasSuffix(r.stderr, "it is the first account\n") {
		u.ok(u.swop("use", "none"))
	}
	return r
}

// An account is what `codex swop list --json` says of one.
type accountOf struct {
	Label  string `json:"label"`
	Key    string `json:"key"`
	Active bool   `json:"active"`
	InUse  bool   `json:"in_use"`
}

// list returns the accounts of `codex swop list --json`, by label.
func (u *user) list() map[string]accountOf {
	u.t.Helper()
	r := u.ok(u.swop("list", "--json"))
	var doc struct {
		Schema   int         `json:"schema_version"`
		Accounts []accountOf `json:"accounts"`
	}
	if err := json.Unmarshal([]byte(r.stdout), &doc); err != nil || doc.Schema != 1 {
		u.t.Fatalf("list --json prints %q, want schema version 1: %v", r.stdout, err)
	}
	accounts := map[string]accountOf{}
	for _, a := range doc.Accounts {
		accounts[a.Label] = a
	}
	return accounts
}

// inUse returns what the list says of an account, which must be in it.
func (u *user) inUse(label string) bool {
	u.t.Helper()
	a, ok := u.list()[label]
	if !ok {
		u.t.Fatalf("list --json does not name %q", label)
	}
	return a.InUse
}

// wantLogin runs c, a `codex login status`, which must name login, or say that no login exists if login is "".
func (u *user) wantLogin(c *command, login string) {
	u.t.Helper()
	status, text := 1, "Not logged in"
	if login != "" {
		status, text = 0, masked(login)
	}
	r := u.want(status, c)
	if line, _, _ := strings.Cut(r.stderr, "\n"); line != text {
		u.t.Errorf("%s says %q, want %q", c, r.stderr, text)
	}
}

// masked returns how `codex login status` shows an API key.
func masked(login string) string {
	return "API key configured - " + login[:8] + "***" + login[len(login)-5:]
}

// transcripts returns the paths of all transcripts below dir, without following links.
func (u *user) transcripts(dir string) []string {
	u.t.Helper()
	return u.files(dir, "rollout-*.jsonl*")
}

// files returns the regular files below dir whose names match the pattern, without following links. A running server may remove some in
// the meantime.
func (u *user) files(dir, pattern string) []string {
	u.t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil && name != dir {
			return ignoreMissing(err)
		}
		if err != nil {
			return err
		}
		ok, err := filepath.Match(pattern, d.Name())
		if ok && d.Type().IsRegular() {
			found = append(found, name)
		}
		return err
	})
	testhome.NoError(u.t, err)
	return found
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// absent checks that name does not exist.
func (u *user) absent(name string) {
	u.t.Helper()
	if _, err := os.Lstat(name); !os.IsNotExist(err) {
		u.t.Errorf("%q exists (%v), want nothing", name, err)
	}
}

// present checks that name exists.
func (u *user) present(name string) {
	u.t.Helper()
	if _, err := os.Lstat(name); err != nil {
		u.t.Errorf("%q is missing: %v", name, err)
	}
}

// wantNowhere checks that no file of the home holds the secret.
func (u *user) wantNowhere(secret string) {
	u.t.Helper()
	if testhome.HoldsText(secret, u.home) {
		u.t.Errorf("a file below %q holds %q", u.home, secret)
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
