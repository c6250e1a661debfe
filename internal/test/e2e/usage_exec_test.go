//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/internal/test/e2e/chatgpt"
	"swop/internal/test/e2e/responses"
	"swop/internal/test/testhome"
)

// full are the limits of an account that the server refuses to serve.
func full(resets time.Time) chatgpt.Limits {
	return chatgpt.Limits{Short: 100, Long: 7, Resets: resets, Reached: "rate_limit_reached"}
}

// spend lets the account of the nth login be at its limit once so many turns were answered.
func (m members) spend(n, after int, resets time.Time) {
	m.openAI.SetLimits(n, full(resets))
	m.model.Refuse(chatgpt.Token(n), responses.Refusal{After: after, Resets: resets})
}

// restore ends that.
func (m members) restore(n int) {
	m.openAI.SetLimits(n, chatgpt.Limits{Short: 1, Long: 1, Resets: time.Now().Add(time.Hour)})
	m.model.Serve(chatgpt.Token(n))
}

// swopExec is `codex swop exec` as work, on a machine that may be busy.
func (m members) swopExec(flags string, args ...string) *command {
	all := append([]string{"exec"}, strings.Fields(flags)...)
	return m.swop(append(append(all, "--", "--skip-git-repo-check"), args...)...).as("work")
}

// wantTurns checks who asked the turns after the first n, by the numbers of their logins, and that each has each prompt exactly once.
func (m members) wantTurns(n int, logins []int, prompts ...string) {
	m.t.Helper()
	turns := m.model.Turns()[n:]
	if len(turns) != len(logins) {
		m.t.Fatalf("%d turns were asked for, want %d", len(turns), len(logins))
	}
	for i, login := range logins {
		if turns[i].Bearer != chatgpt.Token(login) {
			m.t.Errorf("turn %d is not asked by login %d", i, login)
		}
		for _, prompt := range prompts {
			if got := strings.Count(string(turns[i].Body), prompt); got != 1 {
				m.t.Errorf("turn %d has %s %d times, want once", i, prompt, got)
			}
		}
	}
}

// At a limit, exec goes on with the session under the next account: at the turn's start, in its middle, between turns. The prompt is sent
// once.
func TestExecNext(t *testing.T) {
	eachRelease(t, func(m members) {
		resets := time.Now().Add(time.Hour)
		m.restore(2)
		m.spend(1, 0, resets)
		r := m.ok(m.swopExec("--at-limit next", "<at the start>"))
		if r.stdout != responses.Reply+"\n" || !strings.Contains(r.stderr, `"work" is at its limit, until its reset`) ||
			!strings.Contains(r.stderr, `the session goes on as "personal", the next account of the pool "auto"`) {
			m.t.Errorf("exec prints %q, %q", r.stdout, r.stderr)
		}
		m.wantTurns(0, []int{1, 2}, "<at the start>")
		if got := len(m.rollouts()); got != 1 {
			m.t.Errorf("there are %d transcripts, want that of the one session", got)
		}

		n := len(m.model.Turns())
		m.spend(1, 1, resets)
		m.model.Call("echo one >>done")
		r = m.ok(m.swopExec("--at-limit next", "--json", "--dangerously-bypass-approvals-and-sandbox", "<in the middle>"))
		m.wantTurns(n, []int{1, 1, 2}, "<in the middle>")
		if done := testhome.TextOf(filepath.Join(m.work, "done")); done != "one\n" {
			m.t.Errorf("the command ran %q times, want once", done)
		}
		if !strings.Contains(r.stdout, `"turn.completed"`) || strings.Contains(r.stdout, `"turn.failed"`) ||
			strings.Contains(r.stdout, `{"type":"error"`) {
			m.t.Errorf("the events are\n%s", r.stdout)
		}

		m.model.Serve(chatgpt.Token(1))
		m.ok(m.exec("<the first>").as("work"))
		n = len(m.model.Turns())
		m.spend(1, 0, resets)
		m.ok(m.swopExec("--at-limit next", "-C", m.work, "resume", threadID(m.newest()), "<the second>").as("auto"))
		m.wantTurns(n, []int{2}, "<the first>", "<the second>") // of the pool, work is known to be full
		m.ok(m.swopExec("--at-limit next", "resume", threadID(m.newest()), "<the third>"))
		m.wantTurns(n+1, []int{1, 2}, "<the first>", "<the second>", "<the third>")
	})
}

// A limit may come as an event in a stream that began with 200. Codex takes it for a broken stream: it repeats the request as often as its
// configuration says, 5 times unless that names a number, and fails. Then exec goes on as at any limit.
func TestExecLimitInStream(t *testing.T) {
	eachRelease(t, func(m members) {
		resets := time.Now().Add(time.Hour)
		m.restore(2)
		m.openAI.SetLimits(1, full(resets))
		m.model.Refuse(chatgpt.Token(1), responses.Refusal{Resets: resets, Event: "response.failed"})
		r := m.ok(m.swopExec("--at-limit next", "<at the start>"))
		m.wantTurns(0, []int{1, 2}, "<at the start>")
		if r.stdout != responses.Reply+"\n" || strings.Count(r.stderr, "the session goes on as") != 1 {
			m.t.Errorf("exec prints %q, %q", r.stdout, r.stderr)
		}

		m.write(".codex/config.toml", strings.Replace(m.config(), "stream_max_retries = 0\n", "", 1))
		n := len(m.model.Turns())
		m.model.Refuse(chatgpt.Token(1), responses.Refusal{After: 1, Resets: resets, Event: "error"})
		m.model.Call("echo one >>done")
		r = m.ok(m.swopExec("--at-limit next", "--json", "--dangerously-bypass-approvals-and-sandbox", "<in the middle>"))
		m.wantTurns(n, []int{1, 1, 1, 1, 1, 1, 1, 2}, "<in the middle>")
		if done := testhome.TextOf(filepath.Join(m.work, "done")); done != "one\n" || strings.Contains(r.stdout, `"turn.failed"`) {
			m.t.Errorf("the command ran %q times, want once; the events are\n%s", done, r.stdout)
		}
		if got := len(m.rollouts()); got != 2 {
			m.t.Errorf("there are %d transcripts, want those of two sessions", got)
		}
	})
}

// newest returns the transcript that changed last.
func (m members) newest() (path string) {
	m.t.Helper()
	var last time.Time
	for _, file := range m.rollouts() {
		info, err := os.Stat(file)
		if err == nil && info.ModTime().After(last) {
			path, last = file, info.ModTime()
		}
	}
	return path
}

// Where exec does not go on, it ends as codex exec does, and nothing is asked again.
func TestExecStops(t *testing.T) {
	eachRelease(t, func(m members) {
		resets := time.Now().Add(time.Hour)
		m.restore(2)
		m.spend(1, 0, resets)
		r := m.want(1, m.swopExec("", "<stop>"))
		m.wantTurns(0, []int{1}, "<stop>")
		if strings.Contains(r.stderr, "swop:") {
			m.t.Errorf("as plain codex exec, it says %q", r.stderr)
		}
		const other = `{"error":{"message":"no","type":"invalid_request_error","code":"other"}}`
		const encrypted = `{"error":{"message":"The encrypted content could not be verified: organization_id did not match","type":"invalid_request_error","code":"invalid_encrypted_content"}}`
		for _, test := range []struct {
			name   string
			set    func()
			logins []int
			said   string
		}{
			{"another error", func() {
				m.restore(1)
				m.model.Refuse(chatgpt.Token(1), responses.Refusal{Body: other})
			}, []int{1}, ""},
			{"nobody has room", func() {
				m.spend(1, 0, resets)
				m.spend(2, 0, resets)
			}, []int{1}, `all accounts of the pool "auto" are at their limit`},
			{"the next one reaches its limit", func() {
				m.restore(2)
				m.model.Refuse(chatgpt.Token(2), responses.Refusal{After: 0, Resets: resets})
			}, []int{1, 2}, ""}, // codex says that it has room
			{"reasoning that the next one cannot read", func() {
				m.restore(2)
				m.model.Refuse(chatgpt.Token(2), responses.Refusal{Body: encrypted})
			}, []int{1, 2}, `OpenAI cannot continue this session under "personal": another account encrypted it`},
			{"the limit of the workspace", func() {
				if m.before(128) { // it does not say whose limit it is
					m.spend(2, 0, resets)
				}
				m.openAI.SetLimits(1, chatgpt.Limits{Short: 100, Long: 7, Resets: resets, Reached: "workspace_member_usage_limit_reached"})
			}, []int{1}, ""},
			{"an account that cannot be asked", func() { m.openAI.SetLimits(1, chatgpt.Limits{Status: 500}) }, []int{1}, `cannot tell whether "work" is at its limit`},
		} {
			test.set()
			m.usage("--max-age", "0")
			n := len(m.model.Turns())
			prompt := "<" + test.name + ">"
			r := m.want(1, m.swopExec("--at-limit next", "--json", prompt))
			m.wantTurns(n, test.logins, prompt)
			if !strings.Contains(r.stdout, `"turn.failed"`) || !strings.Contains(r.stderr, test.said) {
				m.t.Errorf("%s: exec prints %q, %q", test.name, r.stdout, r.stderr)
			}
		}
	})
}

// exec --at-limit wait goes on under the same account after its reset; an interrupt and a kill end all.
func TestExecWait(t *testing.T) {
	eachRelease(t, func(m members) {
		m.restore(2)
		for i, ends := range []os.Signal{nil, os.Interrupt, os.Kill} {
			n, resets := len(m.model.Turns()), time.Now().Add(time.Hour)
			if ends == nil {
				resets = time.Now().Add(20 * time.Second) // a busy machine asks late
			}
			m.spend(1, 0, resets)
			prompt := "<wait " + string(rune('0'+i)) + ">"
			said, err := os.Create(filepath.Join(m.home, "said"))
			testhome.NoError(m.t, err)
			c := m.swopExec("--at-limit wait", prompt)
			c.Stderr = said
			m.start(c)
			eventually(m.t, "the wait", func() bool { return strings.Contains(testhome.TextOf(said.Name()), "waiting until its reset") })
			said.Close()
			want := 0
			switch ends {
			case nil:
				m.restore(1)
			default:
				want = map[os.Signal]int{os.Interrupt: 130, os.Kill: -1}[ends]
				testhome.NoError(m.t, c.Process.Signal(ends))
			}
			if r := m.finish(c); r.status != want {
				m.t.Errorf("ended by %v, exec exits %d, want %d", ends, r.status, want)
			}
			if ends == nil {
				m.wantTurns(n, []int{1, 1}, prompt)
				continue
			}
			m.wantTurns(n, []int{1}, prompt)
			m.noSession()
			m.restore(1)
			m.ok(m.codex("exec", "--skip-git-repo-check", "resume", threadID(m.newest()), "<on>").as("work"))
			m.wantTurns(n, []int{1, 1}, prompt)
		}
	})
}

// A kill of exec ends the codex that runs.
func TestExecKilled(t *testing.T) {
	eachRelease(t, func(m members) {
		m.restore(2)
		m.spend(1, 0, time.Now().Add(time.Hour))
		release := m.model.Hold()
		defer release()
		c := m.start(m.swopExec("--at-limit next", "<killed>"))
		eventually(m.t, "the second turn", func() bool { return len(m.model.Turns()) == 2 })
		testhome.NoError(m.t, c.Process.Kill())
		release() // a codex that an unknown launcher has started lives on, holds the output, and ends its turn
		m.finish(c)
		m.noSession()
		m.wantTurns(0, []int{1, 2}, "<killed>")
	})
}

// In a terminal, Ctrl-C ends codex and what would follow.
func TestExecInterrupted(t *testing.T) {
	eachRelease(t, func(m members) {
		m.restore(2)
		m.openAI.SetLimits(1, full(time.Now().Add(time.Hour)))
		release := m.model.Hold()
		w := m.openTerminal("codex swop exec --at-limit next -- --skip-git-repo-check '<held>'", "SWOP_ACCOUNT=work")
		m.turn("<held>")
		w.tmux("send-keys", "C-c")
		w.wait() // 0.92 exits with 0 then
		w.close()
		release()
		m.noSession()
		m.wantTurns(0, []int{1}, "<held>")
	})
}
