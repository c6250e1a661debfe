//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/internal/test/e2e/chatgpt"
	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/e2e/responses"
	"swop/internal/test/testhome"
)

// bridgedReleases are those whose ChatGPT logins are bridged: the first that needs two origins is 0.158.
var bridgedReleases = []string{"0.92.0", "0.128.0", "0.158.0", "0.169.0", realcodex.Version}

// newBridgedLogin makes a trial whose account work has a ChatGPT login that its sessions do not have.
func newBridgedLogin(t *testing.T, version string, life time.Duration) members {
	t.Helper()
	testhome.Needs(t, "userns")
	tr := newTrial(t, release{version: version})
	tr.mkdir("openai") // a confined session does not see the host's directory for temporary files
	server, err := chatgpt.Start(filepath.Join(tr.home, "openai"))
	testhome.NoError(t, err)
	t.Cleanup(server.Close)
	tr.env = append(tr.env, server.Env()...)
	m := members{tr, server}
	testhome.NoError(t, m.openAI.SetModel(m.model.URL()))
	m.env = append(m.env, m.openAI.RenewalAt())
	config := fmt.Sprintf("model = \"gpt-5\"\ncheck_for_update_on_startup = false\n[analytics]\nenabled = "+
		"false\n[features]\nplugins = false\nshell_snapshot = false\nenable_request_compression = false\n[projects.%q]\ntrust_level = \"trusted\"\n", m.work)
	if m.before(128) {
		config = m.openAI.Config() + config
	}
	m.write(".codex/config.toml", config)
	m.write("auth.json", m.openAI.Issue(1, life))
	m.env = append(m.env, "SWOP_ALLOW_ROOT=1")
	m.adds(m.swop("add", "work", "--confine", "workspace-write", "--import", filepath.Join(m.home, "auth.json")))
	m.hasServer(m.sandbox("work"))
	m.write(".config/swop/config.toml", fmt.Sprintf("[accounts.work]\nlogin = \"bridged\"\n"+
		"[accounts.work.bridge.chatgpt]\nkind = \"chatgpt\"\nupstream = %q\n[accounts.work.confinement]\nnetwork = false\nshown = [\"~/openai\"]\n", m.openAI.Backend()))
	return m
}

// latest is the access token that the login has now.
func (m members) latest() string {
	all := m.openAI.Secrets(1)
	return all[len(all)-2]
}

// TestBridgedChatGPT: a session of every kind of release works with a ChatGPT login that is not in it.
func TestBridgedChatGPT(t *testing.T) {
	t.Parallel()
	for _, version := range sampled(bridgedReleases, "0.92.0", realcodex.Version) {
		t.Run(version, func(t *testing.T) {
			m := newBridgedLogin(t, version, time.Hour)
			m.sayFailure()
			m.model.Call("cat $CODEX_HOME/auth.json; env; echo ends-$((40+2))")
			r := m.ok(m.exec("who is it?", "--dangerously-bypass-approvals-and-sandbox").as("work"))
			m.wantTurn("who is it?")
			m.wantNoSecret(m.turn("ends-42").Output() + r.stdout + r.stderr)
			if strings.Contains(r.stderr, "403 Forbidden") || strings.Contains(r.stderr, "warning: Falling back") {
				t.Errorf("codex complains: %s", r.stderr)
			}
			session := m.transcripts(filepath.Join(m.sandbox("work"), "sessions")) // a confined session's are the account's own
			if len(session) != 1 {
				t.Fatalf("transcripts: %q, want one", session)
			}
			m.ok(m.codex(m.resume(session[0], "and now?")...).as("work"))
			if r := m.wantTurn("and now?"); !r.Asks("who is it?") {
				t.Error("the session does not go on")
			}
			m.talk("work", m.latest(), "<typed>")
			m.env = append(m.env, "SWOP_ACCOUNT=work")
			m.serves(filepath.Join(m.programs.swop, "codex"), "<served>")
			m.wantTurn("<served>")
			text, err := os.ReadFile(filepath.Join(m.root, "accounts", "work", "login", "auth.json"))
			if err != nil || !strings.Contains(string(text), m.latest()) {
				t.Errorf("the account's login has changed: %v", err)
			}
			if n := m.openAI.Renewals(); n != 0 {
				t.Errorf("the login was renewed %d times", n)
			}
		})
	}
}

// sayFailure shows what the bridge did if the test fails.
func (m members) sayFailure() {
	m.t.Cleanup(func() {
		if m.t.Failed() {
			m.t.Logf("%s\nasked: %q", testhome.TextOf(filepath.Join(m.root, "log", "bridge", "work.jsonl")), m.openAI.Paths())
		}
	})
}

// wantTurn waits for a turn, which the model must see under the account's own token.
func (m members) wantTurn(prompt string) responses.Request {
	m.t.Helper()
	r := m.turn(prompt)
	if r.Bearer != m.latest() {
		m.t.Errorf("with %q the model sees %.60q, want the account's token", prompt, r.Bearer)
	}
	return r
}

// wantNoSecret checks that no token that the login ever had is in a text.
func (m members) wantNoSecret(text string) {
	m.t.Helper()
	for _, secret := range m.openAI.Secrets(1) {
		if strings.Contains(text, secret) {
			m.t.Error("a token is in what the session shows")
		}
	}
}

// TestBridgedRenewal: however many sessions find that the login has expired, or is refused, the real codex renews it once. One that cannot
// be renewed is tried once, and the session says what to do.
func TestBridgedRenewal(t *testing.T) {
	t.Parallel()
	for _, version := range sampled(bridgedReleases, realcodex.Version) {
		t.Run(version, func(t *testing.T) {
			m := newBridgedLogin(t, version, -time.Minute)
			m.sayFailure()
			const count = 3
			m.atOnce("expired", count)
			if n := m.openAI.Renewals(); n != 1 {
				t.Errorf("expired: %d requests for a token, want 1", n)
			}
			testhome.NoError(t, os.RemoveAll(filepath.Join(m.root, "accounts", "work", "login-state.json"))) // if it is there, it rests for a minute
			m.openAI.Refuse(1)
			m.atOnce("refused", count)
			if n := m.openAI.Renewals(); n != 2 {
				t.Errorf("refused: %d requests for a token, want 2", n)
			}
			testhome.NoError(t, os.RemoveAll(filepath.Join(m.root, "accounts", "work", "login-state.json"))) // as above
			m.openAI.End(1)
			r := m.run(m.exec("once more").as("work"))
			if r.status == 0 || !strings.Contains(r.stdout+r.stderr, "codex swop login work") {
				t.Errorf("with a login that has ended codex exits %d: %s%s", r.status, r.stdout, r.stderr)
			}
			m.wantNoSecret(r.stdout + r.stderr)
		})
	}
}

// atOnce runs sessions at the same time, each of which must get its answer, all asked before one is answered.
func (m members) atOnce(prompt string, count int) {
	m.t.Helper()
	release := m.model.Hold()
	defer release()
	var running []*command
	for n := range count {
		running = append(running, m.start(m.exec(fmt.Sprintf("<%s %d>", prompt, n)).as("work")))
	}
	for n := range count {
		m.wantTurn(fmt.Sprintf("<%s %d>", prompt, n))
	}
	release()
	for _, c := range running {
		if r := m.finish(c); r.status != 0 {
			m.t.Errorf("%s exits %d: %s", c, r.status, r.stderr)
		}
	}
}

// bridgedKey is an API key that a bridge has, and no session.
const bridgedKey = "sk-bridged-0123456789-bridged"

// TestBridgedLogin: every kind of release sends its requests through an openai bridge, and has a stand-in for the key.
func TestBridgedLogin(t *testing.T) {
	t.Parallel()
	for _, r := range sampled(releases, releases[0], releases[len(releases)-1]) {
		t.Run(r.version, func(t *testing.T) {
			testhome.Needs(t, "userns") // for its last part
			tr := newTrial(t, r)
			tr.write(".codex/config.toml", "model = \"gpt-5\"\ncheck_for_update_on_startup = false\n[analytics]\nenabled = false\n")
			config := fmt.Sprintf("[accounts.ci.bridge.openai]\nkind = \"openai\"\nupstream = \"%s/v1\"\ntoken = { env = \"CI_KEY\" }\n",
				tr.model.URL())
			tr.write(".config/swop/config.toml", config)
			tr.ok(tr.swop("add", "ci", "--no-login"))
			tr.env = append(tr.env, "CI_KEY="+bridgedKey, "CODEX_API_KEY=sk-another-key")
			calls := !r.before(128) // the test server's command is for newer releases
			if calls {
				tr.model.Call("(env; cat $CODEX_HOME/auth.json) >seen")
			}
			out := tr.ok(tr.exec("who pays?", "--dangerously-bypass-approvals-and-sandbox").as("ci"))
			if got := tr.turn("who pays?").Bearer; got != bridgedKey {
				t.Errorf("the server sees %q, want %q", got, bridgedKey)
			}
			if strings.Contains(out.stdout+out.stderr, bridgedKey) || testhome.HoldsText(bridgedKey, tr.home) {
				t.Errorf("stdout %q, stderr %q; in a file: %t", out.stdout, out.stderr, testhome.HoldsText(bridgedKey, tr.home))
			}
			seen := testhome.TextOf(filepath.Join(tr.work, "seen"))
			if calls && (!strings.Contains(seen, "sk-swop-bridge-") || strings.Contains(seen, "sk-another-key")) {
				t.Errorf("a command reads %q", seen)
			}
			// Confined it has no network but this way.
			tr.write(".config/swop/config.toml", config+"[confinement]\nnetwork = false\n")
			tr.env = append(tr.env, "SWOP_ALLOW_ROOT=1")
			tr.ok(tr.swop("confine", "ci", "workspace-write"))
			tr.ok(tr.exec("who pays inside?").as("ci"))
			if got := tr.turn("who pays inside?").Bearer; got != bridgedKey {
				t.Errorf("the server sees %q of a confined session, want %q", got, bridgedKey)
			}
		})
	}
}
