//go:build linux

package e2e

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"swop/internal/session/socket"
	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/e2e/responses"
	"swop/internal/test/testhome"
)

// confinedReleases are some of each way in which codex sandboxes what it runs: by Landlock, by the system's bubblewrap, and by its own.
var confinedReleases = []string{"0.29.0", "0.92.0", "0.116.0", "0.128.0", "0.158.0", "0.169.0", realcodex.Version}

func newConfinedTrial(t *testing.T, version string) trial {
	testhome.Needs(t, "userns")
	tr := newTrial(t, release{version: version})
	tr.env = append(tr.env, "SWOP_ALLOW_ROOT=1")
	flags, stdin := tr.loginFlags(workLogin)
	tr.adds(tr.swop(append([]string{"add", "work", "--confine", "workspace-write"}, flags...)...).fed(stdin))
	flags, stdin = tr.loginFlags(personalLogin)
	tr.adds(tr.swop(append([]string{"add", "personal"}, flags...)...).fed(stdin))
	tr.reaches(strings.TrimPrefix(tr.model.URL(), "http://"))
	for _, args := range [][]string{{"init", "-q"}, {"config", "user.name", "me"}, {"config", "user.email", "me@example.com"}} {
		tr.ok(tr.command("git", args...))
	}
	return tr
}

// reaches lets confined sessions reach the model, which is on this machine, and the hosts.
func (tr trial) reaches(hosts ...string) {
	tr.t.Helper()
	for i, host := range hosts {
		hosts[i] = strconv.Quote(strings.Replace(host, "127.0.0.1:", "localhost:", 1))
	}
	tr.write(".config/swop/config.toml", "[confinement]\nnetwork = ["+strings.Join(hosts, ", ")+"]\n")
}

// tries is what the model lets a confined session do: it says of each whether it works.
const tries = `t() { n=$1; shift; if "$@" >/dev/null 2>&1; then echo "$n: yes"; else echo "$n: no"; fi; }
t other cat "$OTHER"; t workspace mktemp "$WORK/made-XXXXXX"; t home touch "$REAL/.config/swop/made"; t process test -d /proc/$VICTIM; t commit git -C "$WORK" commit -q --allow-empty -m x; echo "ends-$((40+2))"`

// confinedChecks are what a confined session of a release is tried for, one after the other in one home, from the release on that can.
var confinedChecks = []struct {
	name  string
	since int
	run   func(trial)
}{
	{"command of the model", 0, trial.checkConfined},
	{"sandbox", 0, trial.checkConfinedSandbox},
	{"app-server", 128, trial.checkConfinedServer},
	{"elevation", 0, trial.checkElevation},
	{"bundled bwrap", 158, trial.checkBundled},
	{"network", 92, trial.checkConfinedNetwork}, // without one 0.29 exits 0
}

func TestConfined(t *testing.T) {
	t.Parallel()
	for _, version := range sampled(confinedReleases, "0.92.0", realcodex.Version) {
		t.Run(version, func(t *testing.T) {
			tr := newConfinedTrial(t, version)
			for _, c := range confinedChecks {
				if !tr.before(c.since) {
					t.Run(c.name, func(t *testing.T) { c.run(tr.under(t)) })
				}
			}
		})
	}
}

// checkConfined lets the real codex run a command of the model in a confined session, with its own sandbox and without.
func (tr trial) checkConfined() {
	tr.tryConfined([]string{"--dangerously-bypass-approvals-and-sandbox"},
		[]string{"other: no", "workspace: yes", "home: no", "process: no", "commit: no"})
	tr.tryConfined([]string{"-s", "workspace-write"}, []string{"other: no", "workspace: yes", "home: no"})
	tr.tryConfined([]string{"-s", "read-only"}, []string{"other: no", "workspace: no", "home: no"})
}

// checkConfinedSandbox runs a command in codex's own sandbox, alone: the one of a confined account is in its session.
func (tr trial) checkConfinedSandbox() {
	script := `cat "` + filepath.Join(tr.sandbox("personal"), "auth.json") + `" || touch made || test -d /run/swop && echo confined && exit 7`
	if r := tr.run(tr.swop("sandbox", "--account", "work", "--", "sh", "-c", script)); r.status != 7 || r.stdout != "confined\n" {
		tr.t.Errorf("the sandbox exits %d: %q, %q", r.status, r.stdout, r.stderr)
	}
}

func (tr trial) tryConfined(flags, want []string) {
	tr.t.Helper()
	other := filepath.Join(tr.sandbox("personal"), "auth.json")
	if _, err := os.Stat(other); err != nil {
		tr.t.Fatalf("there is nothing to find: %v", err)
	}
	script := strings.NewReplacer("$OTHER", other, "$WORK", tr.work, "$REAL", tr.home, "$VICTIM", "1000000").Replace(tries)
	tr.model.Call(script)
	r := tr.ok(tr.exec("try it", flags...).as("work"))
	if !strings.Contains(r.stdout, responses.Reply) {
		tr.t.Errorf("%q: codex prints %q", flags, r.stdout)
	}
	turn := tr.turn("ends-42")
	for _, line := range want {
		if !strings.Contains(turn.Output(), line) {
			tr.t.Errorf("%q: the command prints %q, want %q", flags, turn.Output(), line)
		}
	}
	if turn.Bearer != workLogin {
		tr.t.Errorf("%q: the bearer is %q", flags, turn.Bearer)
	}
}

// TestConfinedSessions: what a confined session records is the account's own, codex and swop go on with it, and the terminal interface
// works in one.
func TestConfinedSessions(t *testing.T) {
	tr := newConfinedTrial(t, realcodex.Version)
	tr.write("work/pack/package.json", `{"name": "made-up", "version": "1.0.0", "bin": "index.js"}`)
	tr.write("work/pack/index.js", "#!/usr/bin/env node\nrequire('fs').writeFileSync('served', process.env.HTTPS_PROXY)\n")
	tr.write(".codex/config.toml", testhome.TextOf(filepath.Join(tr.shared(), "config.toml"))+
		"[mcp_servers.made-up]\ncommand = \"npx\"\nargs = [\"--yes\", \"--offline\", \"./pack\"]\n")
	tr.model.Call("timeout 30 sh -c 'until test -s served; do sleep 0.1; done'")
	tr.ok(tr.exec("begun confined").as("work"))
	tr.turn("begun confined")
	if got := testhome.TextOf(filepath.Join(tr.work, "served")); got != "http://127.0.0.1:3128" {
		t.Errorf("an MCP server by npx leaves %q", got)
	}
	if got := tr.transcripts(filepath.Join(tr.shared(), "sessions")); len(got) != 0 {
		t.Fatalf("transcripts of a confined session: %q, want none in the shared home", got)
	}
	if r := tr.ok(tr.swop("sessions").as("work")); !strings.Contains(r.stdout, "begun confined") {
		t.Errorf("codex swop sessions prints %q", r.stdout)
	}
	tr.ok(tr.codex("exec", "--skip-git-repo-check", "resume", "--last", "continued confined").as("work"))
	if r := tr.turn("continued confined"); !r.Asks("begun confined") {
		t.Error("a confined session does not resume the one before")
	}
	w := tr.terminal("SWOP_ACCOUNT=work")
	w.ask("typed confined")
	if got := tr.turn("typed confined").Bearer; got != workLogin {
		t.Errorf("the terminal interface sends %q", got)
	}
	w.await(responses.Reply)
	if got := w.quit(); got != "0" {
		t.Errorf("the terminal interface exits %q", got)
	}
	w.close() // tmux has the same HOME
	w = tr.openTerminal("codex -m test-model -a on-request -s read-only", "SWOP_ACCOUNT=work")
	w.await(tr.prompt())
	tr.model.Call(responses.Unsandboxed + `touch approved; cat "` + filepath.Join(tr.sandbox("personal"), "auth.json") +
		`" || echo "ends-$((40+2))"`)
	w.ask("ask me first")
	w.await("Yes, proceed")
	eventually(t, "the end of codex's question", func() bool { // which takes no key at first
		w.tmux("send-keys", "Enter")
		return !strings.Contains(w.screen(), "Yes, proceed")
	})
	tr.turn("ends-42")
	if !testhome.Exists(filepath.Join(tr.work, "approved")) {
		t.Error("a command that was approved in the terminal interface wrote nothing")
	}
	w.await(responses.Reply)
	w.quit()
	w.close()
	eventually(t, "the end of all processes of the confined session", func() bool { return len(processes(t, tr.home)) == 0 })
	if config := testhome.TextOf(filepath.Join(tr.shared(), "config.toml")); strings.Contains(config, "screen_reader_detection_done") {
		t.Errorf("what codex noted in a confined session is in the shared configuration:\n%s", config)
	}
	if left, err := filepath.Glob(filepath.Join(tr.root, "run", "*")); err != nil || len(left) != 0 {
		t.Errorf("left of confined sessions: %v, %v", left, err)
	}
}

// checkConfinedNetwork: with a list of hosts, codex reaches its model if that is in the list, and what it runs reaches nothing else.
func (tr trial) checkConfinedNetwork() {
	other := tr.listen()
	model := strings.TrimPrefix(tr.model.URL(), "http://")
	tr.reaches(model)
	tr.model.Call("curl -s -m 5 http://" + other + " >/dev/null; curl -s -m 5 --noproxy '*' http://" + other +
		" >/dev/null && echo direct; curl -s -m 5 http://blocked.example; echo ends-$((40+2))")
	tr.ok(tr.exec("try it", "--dangerously-bypass-approvals-and-sandbox").as("work"))
	if got := tr.turn("ends-42").Output(); !strings.Contains(got, "is not in the list of hosts") || strings.Contains(got, "direct") ||
		strings.Contains(got, "reached") {
		tr.t.Errorf("the command reaches: %q", got)
	}
	tr.write(".config/swop/config.toml", "[confinement]\nnetwork = false\n")
	defer tr.reaches(model)
	if r := tr.run(tr.commandWithin(10*time.Second, filepath.Join(tr.programs.swop, "codex"),
		execArgs("unheard")...).as("work")); r.status == 0 {
		tr.t.Errorf("without a network codex exits 0: %q", r.stdout)
	}
}

// TestConfinedWebSocket: codex's WebSocket goes through the session's proxy, which alone leads to the model here, at the first attempt.
func TestConfinedWebSocket(t *testing.T) {
	tr := newConfinedTrial(t, realcodex.Version)
	l, err := net.Listen("tcp", "127.0.0.2:0")
	testhome.NoError(t, err)
	t.Cleanup(func() { testhome.NoError(t, l.Close()) })
	model := strings.TrimPrefix(tr.model.URL(), "http://")
	go socket.ForwardTo(l, model)
	tr.reaches(l.Addr().String())
	tr.write(".codex/config.toml", strings.NewReplacer(model, l.Addr().String(), "supports_websockets = false",
		"supports_websockets = true").Replace(tr.config()))
	r := tr.ok(tr.exec("by a WebSocket").as("work"))
	if turn := tr.turn("by a WebSocket"); !turn.Socket || turn.Bearer != workLogin {
		t.Errorf("the turn comes by a WebSocket: %t, with the bearer %q", turn.Socket, turn.Bearer)
	}
	if strings.Contains(r.stdout+r.stderr, "Reconnecting") || !strings.Contains(r.stdout, responses.Reply) {
		t.Errorf("codex prints %q, %q", r.stdout, r.stderr)
	}
}

// listen answers on loopback and returns where.
func (tr trial) listen() string {
	tr.t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "reached\n") }))
	tr.t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}
