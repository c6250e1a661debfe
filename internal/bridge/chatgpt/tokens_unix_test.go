//go:build unix

package chatgpt

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"swop/internal/account/login"
	"swop/internal/account/process"
	"swop/internal/account/rpc"
	"swop/internal/bridge/request"
	"swop/internal/test/testhome"
)

// fixture is an account, and a codex that is a script: each answer to account/read is a line of answers, after the commands before it.
type fixture struct {
	*Tokens
	t    *testing.T
	home string
}

func newFixture(t *testing.T, expires time.Duration, script string) *fixture {
	home := t.TempDir()
	f := &fixture{t: t, home: home, Tokens: &Tokens{Label: "my work", AuthFile: filepath.Join(home, "auth.json"), Dir: home, Now: time.Now}}
	f.write("auth.json", f.auth("old", expires))
	f.write("next.json", f.auth("new", time.Hour))
	hello := "read hello; echo '{\"id\":1,\"result\":{}}'; read initialized\n"
	codex := process.Program{
		Path: "/bin/sh", Args: []string{"codex", "-c", "cd " + home + "; echo x >>runs\n" + hello + script},
		Env: os.Environ(),
	}
	f.Codex = func(ctx context.Context, ask func(*rpc.Conversation) error) error {
		lock, err := rpc.Hold(ctx, filepath.Join(home, "lock"))
		testhome.NoError(t, err)
		defer lock.Close()
		return rpc.Talk(ctx, codex, lock, ask)
	}
	return f
}

func (f *fixture) write(name, text string) {
	f.t.Helper()
	testhome.NoError(f.t, os.WriteFile(filepath.Join(f.home, name), []byte(text), 0o600))
}

func (f *fixture) auth(name string, expires time.Duration) string {
	return string(authText(f.t, map[string]string{"access_token": f.token(name, expires), "refresh_token": "rt-" + name}))
}

func (f *fixture) token(name string, expires time.Duration) string {
	return jwt(f.t, map[string]any{"jti": name, "exp": time.Now().Add(expires).Unix()})
}

// runs is how often codex was started.
func (f *fixture) runs() int {
	return strings.Count(testhome.TextOf(filepath.Join(f.home, "runs")), "x")
}

func (f *fixture) now() string {
	s, err := f.read()
	testhome.NoError(f.t, err)
	return s.access
}

// What codex does when it is asked.
const (
	// with the first question
	renews = "read q; mv next.json auth.json; echo '{\"id\":2,\"result\":{\"account\":{}}}'; read q && echo again >>runs\n"
	// with the second
	forced = "read q; echo '{\"id\":2,\"result\":{\"account\":{}}}'; read q; mv next.json auth.json; echo " +
		"'{\"id\":3,\"result\":{\"account\":{}}}'\n"
	fails   = "read q; echo '{\"id\":2,\"result\":{\"account\":{}}}'; read q; echo '{\"id\":3,\"result\":{\"account\":{}}}'\n"
	routing = "read q; mv next.json auth.json; echo '{\"id\":2,\"error\":{\"code\":-32603,\"message\":\"workspace routing\"}}'\n"
	loses   = "read q; echo '{\"id\":2,\"result\":{\"account\":{}}}'; read q; echo '{\"id\":3,\"result\":{\"account\":null}}'; sleep " +
		"0.3; mv next.json auth.json\n"
)

// TestTokens: a login is renewed when it expires within five minutes, or is refused, by one codex for any number of requests; the file says
// what came of it, and not codex.
func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		name    string
		expires time.Duration
		script  string
		refused bool
		runs    int
		want    string // "old", "new", or a part of the refusal
	}{
		{"valid", time.Hour, renews, false, 0, "old"},
		{"expires soon", 4 * time.Minute, renews, false, 1, "new"},
		{"expired", -time.Hour, renews, false, 1, "new"},
		{"refused", time.Hour, forced, true, 1, "new"},
		{"renewed, and another error", -time.Hour, routing, false, 1, "new"},
		{"another codex was faster", -time.Hour, loses, false, 1, "new"},
		{"no new one yet", 4 * time.Minute, fails, false, 1, "old"},
		{"no new one, refused", time.Hour, fails, true, 1, "could not renew it now; outside of the session run: codex swop login 'my work'"},
		{"no codex", -time.Hour, "exit 1\n", true, 1, "could not renew it now"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, tt.expires, tt.script)
			first := f.now()
			refused := ""
			if tt.refused {
				refused = first
			}
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					got, err := f.Token(context.Background(), refused)
					name := login.Claims[claims](got).Session
					if err != nil {
						name = err.Error()
					}
					if name != tt.want && (err == nil || !strings.Contains(name, tt.want)) {
						t.Errorf("Token = %q, %v; want %q", name, err, tt.want)
					}
				})
			}
			all.Wait()
			if f.runs() != tt.runs || strings.Contains(testhome.TextOf(filepath.Join(f.home, "runs")), "again") {
				t.Errorf("codex: %q, want %d starts, and no question once the file has changed", testhome.TextOf(filepath.Join(f.home, "runs")),
					tt.runs)
			}
		})
	}
}

// TestRenewedLoginIsRefused: a server that refuses every token does not use up a refresh token for each request.
func TestRenewedLoginIsRefused(t *testing.T) {
	f := newFixture(t, time.Hour, forced)
	newer, err := f.Token(context.Background(), f.now())
	testhome.NoError(t, err)
	for range 3 {
		if _, err := f.Token(context.Background(), newer); err == nil || !strings.Contains(err.Error(), "could not renew it now") {
			t.Errorf("Token: %v", err)
		}
	}
	if f.runs() != 1 {
		t.Errorf("codex was started %d times", f.runs())
	}
}

// TestClockIsOff: with a clock that is ahead each token seems to have expired. It is renewed once, and used; what was noted then says
// nothing once the clock is right.
func TestClockIsOff(t *testing.T) {
	f := newFixture(t, time.Hour, renews)
	f.Now = func() time.Time { return time.Now().Add(24 * time.Hour) }
	for range 3 {
		if got, err := f.Token(context.Background(), ""); err != nil || got != f.now() || f.runs() != 1 {
			t.Errorf("Token = %v, after %d starts of codex", err, f.runs())
		}
	}
	f.Now = time.Now
	f.write("next.json", f.auth("newest", time.Hour))
	if got, err := f.Token(context.Background(), f.now()); err != nil || got != f.now() || f.runs() != 2 {
		t.Errorf("Token = %v, after %d starts of codex", err, f.runs())
	}
}

// TestLoginIsGone: a login that is removed, or replaced by a key, while sessions run.
func TestLoginIsGone(t *testing.T) {
	f := newFixture(t, time.Hour, renews)
	f.write("auth.json", `{"OPENAI_API_KEY":"sk-secret"}`)
	_, err := f.Token(context.Background(), "")
	testhome.NoError(t, os.Remove(f.AuthFile))
	_, missing := f.Token(context.Background(), "")
	for _, err := range []error{err, missing} {
		if no, ok := errors.AsType[*request.Refusal](err); !ok || no.Status != http.StatusBadRequest || strings.Contains(no.Text, "secret") {
			t.Errorf("Token: %v", err)
		}
	}
}

// TestAnotherLogin: a session goes on after a new login of the same person, and not with the login of another one, whose ids it does not
// have.
func TestAnotherLogin(t *testing.T) {
	f := newFixture(t, time.Hour, renews)
	of := func(user, name string) string {
		id := jwt(t, map[string]any{"https://api.openai.com/auth": map[string]string{"chatgpt_account_id": "team", "chatgpt_user_id": user}})
		return string(authText(t, map[string]string{"id_token": id, "access_token": f.token(name, time.Hour), "account_id": "team"}))
	}
	f.write("auth.json", of("me", "old"))
	_, err := f.Begin()
	testhome.NoError(t, err)
	f.write("auth.json", of("me", "again"))
	if got, err := f.Token(context.Background(), ""); err != nil || login.Claims[claims](got).Session != "again" {
		t.Errorf("after a new login of the same user: %v", err)
	}
	f.write("auth.json", of("you", "other"))
	got, err := f.Token(context.Background(), "")
	if no, ok := errors.AsType[*request.Refusal](err); !ok || no.Status != http.StatusBadRequest || got != "" ||
		!strings.Contains(no.Text, "has another login now") {
		t.Errorf("with the login of another user: %q, %v", got, err)
	}
}

// TestHalfWritten: releases up to 0.166 write auth.json in place.
func TestHalfWritten(t *testing.T) {
	f := newFixture(t, time.Hour, renews)
	whole := testhome.TextOf(f.AuthFile)
	f.write("auth.json", whole[:len(whole)/2])
	time.AfterFunc(50*time.Millisecond, func() { f.write("auth.json", whole) })
	if got, err := f.Token(context.Background(), ""); err != nil || login.Claims[claims](got).Session != "old" {
		t.Errorf("Token: %v", err)
	}
}
