//go:build linux

package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"swop/e2e/responses"
)

func TestTUIPerAccount(t *testing.T) {
	u := newUserWithAccounts(t)
	u.tui("tui of work", workLogin, "work")
	server := u.servers("work")
	if u.inUse("work") {
		t.Error("work is in use with only its server left, want not")
	}

	// the other account's server runs, and must not get this one's prompt
	u.tui("tui of personal", personalLogin, "personal")
	if got := u.servers("work"); !slices.Equal(got, server) {
		t.Errorf("servers of work: %v, want %v, running on", got, server)
	}
	other := u.servers("personal")

	// a new login stops the old one's server, and that one only
	u.ok(u.codex("login", "--with-api-key").as("work").fed("sk-work-0123456789-next"))
	u.wantNoServer("work", "a new login")
	if got := u.servers("personal"); !slices.Equal(got, other) {
		t.Errorf("servers of personal: %v, want %v, running on", got, other)
	}
	u.tui("tui of work again", "sk-work-0123456789-next", "work")

	// removal stops a server that is left over
	u.ok(u.swop("remove", "work", "--yes"))
	u.wantNoServer("work", "its removal")
}

// wantNoServer checks that the account's server is gone, and waits until nothing else of the account runs: the updater is stopped too, and
// what the server has started may outlive it by a moment.
func (u *user) wantNoServer(key, after string) {
	u.t.Helper()
	if got := u.listening(key); len(got) > 0 {
		u.t.Errorf("servers of %s after %s: %v, want none", key, after, got)
	}
	eventually(u.t, "the end of all processes of "+key+" after "+after, func() bool { return len(processes(u.t, u.sandbox(key))) == 0 })
}

func TestTUIWithoutAccount(t *testing.T) {
	u := newUserWithAccounts(t)
	u.login(outerLogin)
	u.tui("tui of nobody", outerLogin, "")
}

// tui runs a session in a terminal under the account, quits it, and checks which token was sent for it.
func (u *user) tui(prompt, login, acct string) {
	u.t.Helper()
	before := len(u.model.Requests())
	w := u.terminal("SWOP_ACCOUNT=" + acct)
	if acct != "" && !u.inUse(acct) {
		u.t.Errorf("%s is not in use with a TUI open", acct)
	}
	w.ask(prompt)
	u.turn(prompt)
	w.await(responses.Reply)
	if got := w.quit(); got != "0" {
		u.t.Errorf("the TUI of %q exits %q, want %q", acct, got, "0")
	}
	w.close()
	u.sends(before, prompt, login)
}

// sends fails unless all requests but the first before bear this login. A background server of another account may ask on its own meanwhile, as
// for the title of a session that is over, but never with this prompt.
func (u *user) sends(before int, prompt, login string) {
	u.t.Helper()
	for _, r := range u.model.Requests()[before:] {
		if r.Bearer != login && (r.Asks(prompt) || !u.isServed(r.Bearer)) {
			u.t.Errorf("%s %s bears %q, want %q: %s", r.Method, r.Path, r.Bearer, login, r.Body)
		}
	}
}

// isServed reports whether a background server of the account with this login runs.
func (u *user) isServed(login string) bool {
	for label, key := range keys {
		if key == login {
			return len(u.listening(label)) > 0
		}
	}
	return false
}

// servers are the background servers that a TUI of the account has left: without one the test proves nothing.
func (u *user) servers(key string) []int {
	u.t.Helper()
	pids := u.listening(key)
	if len(pids) == 0 {
		u.t.Fatalf("no server of %s outlives its TUI", key)
	}
	return pids
}

// listening are the background servers of the account: not their updater, and not what a server runs for a moment.
func (u *user) listening(key string) []int {
	u.t.Helper()
	pids := slices.DeleteFunc(processes(u.t, u.sandbox(key)), func(pid int) bool {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return err != nil || !strings.Contains(string(line), "\x00app-server\x00--listen\x00")
	})
	slices.Sort(pids)
	return pids
}
