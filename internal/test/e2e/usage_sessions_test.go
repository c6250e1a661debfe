//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"swop/internal/account/process"
	"swop/internal/test/e2e/chatgpt"
	"swop/internal/test/e2e/responses"
	"swop/internal/test/testhome"
)

// At its limit, next goes on with the directory's session under the account that has room.
func TestNextResume(t *testing.T) {
	eachRelease(t, func(m members) {
		resets := time.Now().Add(time.Hour)
		m.openAI.SetLimits(1, chatgpt.Limits{Short: 42, Long: 7, Resets: resets})
		m.openAI.SetLimits(2, chatgpt.Limits{Short: 10, Long: 7, Resets: resets})
		m.usage()
		m.write(".codex/config.toml", strings.Replace(m.config(), `"gpt-5"`, `"test-model"`, 1)) // which codex offers no other for
		m.ok(m.swop("use", "auto"))
		m.ok(m.exec("<begun by the first>"))
		if got := m.turn("<begun by the first>").Bearer; got != chatgpt.Token(2) {
			m.t.Fatalf("the session is begun by %.60q, want personal, which is the first by label", got)
		}
		begun := m.rollouts()
		if r := m.ok(m.swop("next")); !strings.Contains(r.stderr, `"personal" is not at its limit`) {
			m.t.Errorf("below the limit next says %q", r.stderr)
		}
		m.openAI.SetLimits(2, chatgpt.Limits{Short: 100, Long: 7, Resets: resets, Reached: "rate_limit_reached"})
		open := m.openTerminal("codex resume " + threadID(begun[0]))
		open.await(responses.Reply)
		if !m.before(155) {
			r := m.want(4, m.swop("resume", "--last", "--as", "work"))
			if !strings.Contains(r.stderr, `the session, which codex has open under "personal", is in use: by "codex"`) {
				m.t.Errorf("of a session that is open, resume says %q", r.stderr)
			}
		}
		open.quit()
		open.close()
		m.noSession()
		w := m.openTerminal("(codex swop next && codex swop resume --last) 2>said")
		m.agree(w)
		w.await(responses.Reply) // of the session that is shown again
		w.ask("<on with the next>")
		r := m.turn("<on with the next>")
		if r.Bearer != chatgpt.Token(1) || !r.Asks("<begun by the first>") {
			m.t.Errorf("it goes on with %.60q, with what was begun: %t; want work, true", r.Bearer, r.Asks("<begun by the first>"))
		}
		if got := w.quit(); got != "0" {
			m.t.Errorf("the resumed session exits %q, want 0", got)
		}
		w.close()
		said := testhome.TextOf(filepath.Join(m.work, "said"))
		for _, want := range []string{`"personal" is at its limit, until its reset`, `codex runs as "work" in ` + m.work} {
			if !strings.Contains(said, want) {
				m.t.Errorf("next and resume say %q, want %q in it", said, want)
			}
		}
		if warns := strings.Contains(said, "this session belongs to personal;"); warns == m.before(163) {
			m.t.Errorf("next says %q", said)
		}
		if after := m.rollouts(); !slices.Equal(after, begun) {
			m.t.Errorf("the transcripts are %q, before %q: it is not the same session", after, begun)
		}
	})
}

// Sessions that three releases made are listed and resumed by the last one.
func TestSessionsOfReleases(t *testing.T) {
	m := newTrial(t, release{version: chatGPTReleases[0]}).members()
	for _, version := range chatGPTReleases {
		m.release = release{version: version}
		m.programs.real = programsOf(t, m.release).real
		m.use(m.programs)
		m.env = append(m.env, m.openAI.Env()...)
		m.write(".codex/config.toml", m.config())
		prompt := fmt.Sprintf("<begun by %s>", version)
		m.ok(m.exec(prompt).as("personal"))
		m.wantBearer(prompt, chatgpt.Token(2))
	}
	list := m.sessions("work")
	if len(list) != len(chatGPTReleases) {
		t.Fatalf("sessions lists %+v, want one of each release", list)
	}
	for i, s := range list {
		version := chatGPTReleases[len(chatGPTReleases)-1-i]
		if s.Prompt != fmt.Sprintf("<begun by %s>", version) || s.Release != version {
			t.Errorf("session %d is %+v, want that of %s", i, s, version)
		}
		token := chatgpt.Token(1) // of the directory's account, where the session names none
		if s.Label == "personal" {
			token = chatgpt.Token(2)
		}
		prompt := fmt.Sprintf("<on with %d>", i)
		m.goesOn(m.resumeInTerminal(s.ID, prompt), prompt, token)
	}
}

// aSession is what `codex swop sessions --json` says of one.
type aSession struct {
	ID, Label, Prompt, Directory string
	Release                      string `json:"codex_version"`
}

// sessions returns the sessions of the working directory, as an account lists them.
func (m members) sessions(label string) []aSession {
	m.t.Helper()
	var answer struct{ Sessions []aSession }
	r := m.ok(m.swop("sessions", "--json").as(label))
	if err := json.Unmarshal([]byte(r.stdout), &answer); err != nil {
		m.t.Fatalf("sessions prints %q: %v", r.stdout, err)
	}
	return answer.Sessions
}

// resumeInTerminal goes on with a session by swop, in a terminal.
func (m members) resumeInTerminal(id, prompt string) *terminal {
	m.t.Helper()
	return m.openTerminal(fmt.Sprintf("codex swop resume %s -- -m test-model '%s'", id, prompt), "SWOP_ACCOUNT=work")
}

// agree lets a verb stop the background server that wrote a transcript within the last minute.
func (m members) agree(w *terminal) {
	m.t.Helper()
	if !m.before(158) { // from then on the terminal interface starts one
		w.await("[y/N]")
		w.tmux("send-keys", "y", "Enter")
	}
}

// goesOn checks that a login of this token asks what was prompted in a resumed session, and ends that.
func (m members) goesOn(w *terminal, prompt, token string) {
	m.t.Helper()
	r := m.turn(prompt)
	if r.Bearer != token || !r.Asks("<begun by ") {
		m.t.Errorf("%s is asked by %.60q, with what was begun: %t; want %.60q, true", prompt, r.Bearer, r.Asks("<begun by "), token)
	}
	w.await("hello from the test server")
	if got := w.quit(); got != "0" {
		m.t.Errorf("the resumed session exits %q, want 0", got)
	}
	w.close()
	m.noSession()
}

// noSession waits until nothing of a session is left but servers: shells that codex has started may end after it.
func (m members) noSession() {
	m.t.Helper()
	for _, key := range []string{"work", "personal"} {
		eventually(m.t, "the end of all sessions of "+key, func() bool {
			use, err := process.InUse(m.sandbox(key), process.NoLock)
			return err == nil && !use.Any()
		})
	}
}
