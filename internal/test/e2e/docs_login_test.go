//go:build linux

package e2e

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/lockedfile"

	"swop/internal/test/e2e/chatgpt"
	"swop/internal/test/testhome"
)

// openAI starts a login server for u. Until the test ends, no other test has one: codex listens for the browser on one port of the machine,
// and a second codex that logs in there would cancel the first one's.
func (u *user) openAI() *chatgpt.Server {
	u.t.Helper()
	cache, err := cacheDir()
	testhome.NoError(u.t, err)
	unlock, err := lockedfile.MutexAt(filepath.Join(cache, "login.lock")).Lock()
	testhome.NoError(u.t, err)
	u.t.Cleanup(unlock)
	s, err := chatgpt.Start(u.t.TempDir())
	testhome.NoError(u.t, err)
	u.t.Cleanup(s.Close)
	u.env = append(u.env, s.Env()...)
	return s
}

// browse agrees to every login that codex opens in the browser, until done.
func (u *user) browse(s *chatgpt.Server, what string, done func() bool) bool {
	u.t.Helper()
	return within(u.t, ages, what, func() bool {
		if err := s.Browse(); err != nil {
			u.t.Errorf("the browser: %v", err)
		}
		return done()
	})
}

// TestLoginCancelled leaves a login over another one when codex has opened the browser: 0.169 has deleted what it finds by then.
func TestLoginCancelled(t *testing.T) {
	u := newUser(t)
	u.openAI()
	u.add("work", workLogin)
	for _, command := range []string{"codex swop login work", "SWOP_ACCOUNT=work codex login"} {
		w := u.openTerminal(command)
		w.await("Replace it? [y/N]")
		w.tmux("send-keys", "y", "Enter")
		w.await("local login server")
		w.tmux("send-keys", "C-c")
		w.await("keeps the login that it had")
		if got := w.wait(); got != "130" {
			t.Errorf("%s, cancelled, exits %s, want 130", command, got)
		}
		u.wantLogin(u.codex("login", "status").as("work"), workLogin)
	}
}
