package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/store"
	"swop/internal/test/testhome"
	"swop/shim"
)

// home is a home with an account "work-team" that has run once, so that the fast path knows it, and a real codex on PATH.
type fastHome struct {
	stage
	base, config, path, shim string
}

func newFastHome(t *testing.T) fastHome {
	t.Helper()
	st := newStage(t)
	h := fastHome{
		stage: st, base: filepath.Dir(st.home), config: filepath.Join(st.home, ".config", "swop"),
		shim: filepath.Join(filepath.Dir(st.home), "bin", "codex"),
	}
	h.path = filepath.Join(h.base, "real")
	for _, file := range []string{h.shim, filepath.Join(h.path, "codex")} {
		testhome.PutFile(t, file, "#!/bin/sh\n")
		testhome.NoError(t, os.Chmod(file, 0o700))
	}
	testhome.NoError(t, os.MkdirAll(h.config, 0o700))
	testhome.PutFile(t, st.account.AuthFile(), `{"OPENAI_API_KEY":"k"}`)
	h.start(t, "work-team")
	return h
}

// start starts sessions: the second one finds what the first one made; directories settle between.
func (h fastHome) start(t *testing.T, account string) {
	t.Helper()
	for range 3 {
		testhome.Tick(t)
		_, err := h.decide(testReader(), h.call(config.Env{"SWOP_ACCOUNT=" + account}, "exec"))
		testhome.NoError(t, err)
	}
}

// confine lets the account be confined.
func (h fastHome) confine(t *testing.T) {
	t.Helper()
	accounts := store.Store{Layout: account.Layout{Places: config.Places{
		Home: h.home, Root: filepath.Join(h.home, ".swop"),
		Config: h.config,
	}}}
	err := store.SetConfinement(accounts, h.account, config.ConfineWorkspace, func(string) {})
	testhome.NoError(t, err)
}

func testReader() *Reader {
	agree := func(string) error { return nil }
	return &Reader{ChangeLogin: agree, Create: agree}
}

// logOut removes the login, and lets a start see that.
func logOut(t *testing.T, h fastHome) {
	testhome.NoError(t, os.Remove(h.account.AuthFile()))
	h.start(t, "work-team")
}

func (h fastHome) call(env config.Env, args ...string) shim.Call {
	return shim.Call{
		Args: append([]string{"codex"}, args...), Stderr: io.Discard, Now: func() time.Time { return time.Unix(1000, 0) },
		Env:        append(env, "HOME="+h.home, "PATH="+h.path),
		Executable: func() (string, error) { return h.shim, nil },
	}
}

// outcome is what a decision comes to.
type outcome struct {
	program shim.Program
	args    []string
	env     config.Env
	launch  string
	policy  string
}

// decide returns what the call execs, with the loop guard taken out: it names the moment.
func (h fastHome) decide(r shim.Reader, c shim.Call) (outcome, error) {
	if slow, ok := r.(*Reader); ok {
		slow.Stderr, slow.Now = c.Stderr, c.Now
	}
	var d shim.Decision
	if err := c.Decide(r, &d); err != nil {
		return outcome{}, err
	}
	d.Prepared.Lock.Release()
	return outcome{d.Program, d.Args, d.Env.Without(shim.GuardVariable), d.Settings.Launch, d.Prepared.Policy}, nil
}

const bridgeText = "kind = \"http\"\nupstream = \"https://example.com\"\nheader = \"X: {token}\"\ntoken = { env = \"SANDBOX_X\" " +
	"}\nallow = [\"GET /**\"]\n"

// situations are calls, and the files that they meet.
var situations = []struct {
	name     string
	env      config.Env
	args     string
	selector string
	settings string
	prepare  func(t *testing.T, h fastHome)
	fast     bool // the fast path answers
}{
	{name: "no account", args: "exec hi", fast: true},
	{name: "bypass", env: config.Env{"SWOP_BYPASS=1", "SWOP_ACCOUNT=work"}, args: "exec hi", fast: true},
	{name: "by variable", env: config.Env{"SWOP_ACCOUNT=Work Team"}, args: "exec hi", fast: true},
	{name: "by selector", selector: "account = \"work-team\"\n", args: "exec hi", fast: true},
	{name: "own codex home", env: config.Env{"CODEX_HOME=/tmp"}, fast: true},
	{name: "own codex home and an account", env: config.Env{"CODEX_HOME=/tmp", "SWOP_ACCOUNT=work-team"}},
	{name: "update", env: config.Env{"SWOP_ACCOUNT=work-team"}, args: "update", fast: true},
	{name: "login", env: config.Env{"SWOP_ACCOUNT=work-team"}, args: "login"},
	{name: "no login", env: config.Env{"SWOP_ACCOUNT=work-team"}, prepare: logOut, fast: true},
	{name: "version", env: config.Env{"SWOP_ACCOUNT=work-team"}, args: "--version", fast: true},
	{name: "an unknown account", env: config.Env{"SWOP_ACCOUNT=work-taem"}},
	{name: "an unknown key", settings: "nonsense = \"x\"\n"},
	{name: "a broken selector", selector: "account = \n"},
	{name: "as installed", env: config.Env{"SWOP_ACCOUNT=work-team"}, settings: "launch = \"as-installed\"\n", fast: true},
	{name: "another account's bridge", env: config.Env{"SWOP_ACCOUNT=work-team", "SANDBOX_X=secret"}, settings: "[accounts.other.bridge.x]\n" + bridgeText, fast: true},
	{name: "the account's bridge", env: config.Env{"SWOP_ACCOUNT=work-team", "SANDBOX_X=secret"}, settings: "[accounts.work_team.bridge.x]\n" + bridgeText},
	{name: "only the codex home", env: config.Env{"SWOP_ACCOUNT=work-team"}, settings: "isolation = \"codex-home\"\n", fast: true},
	{name: "confined by the call", env: config.Env{"SWOP_ACCOUNT=work-team", "SWOP_CONFINE=read-only"}},
	{name: "confined by the account", env: config.Env{"SWOP_ACCOUNT=work-team"}, settings: "[accounts.work-team]\nconfine = \"workspace-write\"\n"},
	{name: "not confined by the account", env: config.Env{"SWOP_ACCOUNT=work-team"}, settings: "[confinement]\nnetwork = true\n[accounts.work-team]\nconfine = \"off\"\n"},
	{name: "a confined account", env: config.Env{"SWOP_ACCOUNT=work-team"}, prepare: func(t *testing.T, h fastHome) { h.confine(t) }},
	{name: "a call is to be confined without an account", env: config.Env{"SWOP_CONFINE=read-only"}},
	{name: "databases elsewhere", env: config.Env{"SWOP_ACCOUNT=work-team", "CODEX_SQLITE_HOME=/db"}, fast: true},
	{name: "a stray SWOP_OUTER", env: config.Env{"SWOP_ACCOUNT=work-team", "SWOP_OUTER=x"}},
	{name: "a forced login", env: config.Env{"SWOP_ACCOUNT=work-team"}, args: "-c forced_login_method=api exec hi"},
	{name: "a new entry in the home", env: config.Env{"SWOP_ACCOUNT=work-team"}, prepare: func(t *testing.T, h fastHome) {
		testhome.PutFile(t, filepath.Join(h.home, "new"), "x")
	}, fast: true},
	{name: "a new entry in the sandbox", env: config.Env{"SWOP_ACCOUNT=work-team"}, prepare: func(t *testing.T, h fastHome) {
		testhome.PutFile(t, filepath.Join(h.account.Home(), "new"), "x")
	}},
	{name: "a link at another name", env: config.Env{"SWOP_ACCOUNT=work-team"}, prepare: func(t *testing.T, h fastHome) {
		testhome.NoError(t, os.Rename(filepath.Join(h.account.CodexHome(), "skills"), filepath.Join(h.account.CodexHome(), "mine")))
	}},
	{name: "auto, the first time", env: config.Env{"SWOP_ACCOUNT=auto"}, prepare: logIn},
	{name: "auto", env: config.Env{"SWOP_ACCOUNT=auto"}, prepare: started, fast: true},
	{name: "a pool, by directory", selector: "[[directory]]\npath = \"/\"\naccount = \"@acme\"\n", settings: acmePool, prepare: started, fast: true},
	{name: "an unknown pool", env: config.Env{"SWOP_ACCOUNT=@none"}, settings: acmePool, prepare: started},
	{name: "auto, no longer logged in", env: config.Env{"SWOP_ACCOUNT=auto"}, prepare: func(t *testing.T, h fastHome) {
		started(t, h)
		testhome.NoError(t, os.Remove(h.account.AuthFile()))
	}},
	{name: "auto, after another account", env: config.Env{"SWOP_ACCOUNT=auto"}, prepare: func(t *testing.T, h fastHome) {
		started(t, h)
		file := filepath.Join(h.home, ".swop", "last")
		testhome.PutFile(t, file, strings.Replace(testhome.TextOf(file), "work-team", "other", 1))
	}},
	{name: "auto, at its limit", env: config.Env{"SWOP_ACCOUNT=auto"}, prepare: func(t *testing.T, h fastHome) {
		testhome.PutFile(t, filepath.Join(h.home, ".swop", "usage", "work-team.json"), fmt.Sprintf(full, login.Identity{Account: "x"}.Digest()))
		testhome.NoError(t, os.Chmod(filepath.Join(h.home, ".swop", "usage"), 0o700))
		started(t, h)
	}},
	{name: "no codex", env: config.Env{"SWOP_ACCOUNT=work-team"}, prepare: func(t *testing.T, h fastHome) {
		testhome.NoError(t, os.Remove(filepath.Join(h.path, "codex")))
	}},
	{name: "inside a session", prepare: func(*testing.T, fastHome) {}, env: config.Env{"SWOP_ACCOUNT=work-team", "CODEX_HOME=SANDBOX"}},
}

// full is what is kept of an account at its limit, whatever its login, at the time of the tests.
const full = `{"schema_version":1,"login":%q,"reading":{"windows":[{"minutes":300,"used_percent":99,"resets_at":"1970-01-01T01:00:00Z"}]},"read_at":"1970-01-01T00:10:00Z"}`

const acmePool = "[pool.acme]\naccounts = [\"Work Team\"]\nleave = 90\n"

// logIn gives the account a login of ChatGPT.
func logIn(t *testing.T, h fastHome) {
	testhome.PutFile(t, h.account.AuthFile(), `{"tokens":{"id_token":"a.b.c","account_id":"x"}}`)
}

// started has the account logged in and taken from the pool in this directory.
func started(t *testing.T, h fastHome) {
	logIn(t, h)
	h.start(t, "auto")
}

// TestFastIsFull: wherever the fast path answers, the slow path gives the same answer; where the slow path refuses, the fast path gives
// none.
func TestFastIsFull(t *testing.T) {
	for _, tt := range situations {
		t.Run(tt.name, func(t *testing.T) {
			h := newFastHome(t)
			for name, text := range map[string]string{"selector.toml": tt.selector, "config.toml": tt.settings} {
				if text != "" {
					testhome.PutFile(t, filepath.Join(h.config, name), text)
				}
			}
			if tt.prepare != nil {
				tt.prepare(t, h)
			}
			var env config.Env
			for _, entry := range tt.env {
				env = append(env, strings.Replace(entry, "SANDBOX", h.account.CodexHome(), 1))
			}
			c := h.call(env, strings.Fields(tt.args)...)
			fast, fastErr := h.decide(shim.Fast(c.Now()), c)
			if (fastErr == nil) != tt.fast {
				t.Fatalf("the fast path answers: %t (%v), want %t", fastErr == nil, fastErr, tt.fast)
			}
			full, fullErr := h.decide(testReader(), c)
			if fastErr == nil && (fullErr != nil || !reflect.DeepEqual(fast, full)) {
				t.Errorf("the fast path decides\n%+v\nthe slow path\n%+v, %v", fast, full, fullErr)
			}
			if errors.Is(fullErr, shim.ErrNoCodex) && fastErr == nil {
				t.Error("the fast path finds a codex that the slow path does not")
			}
		})
	}
}
