//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"swop/internal/test/e2e/chatgpt"
	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testhome"
)

// chatGPTReleases are those whose limits and sessions are looked at: the first that tells limits, one between, the first that hides
// sessions.
var chatGPTReleases = []string{"0.92.0", "0.128.0", realcodex.Version}

// members are a trial whose accounts have logins of ChatGPT: work has the first, personal the second.
type members struct {
	trial
	openAI *chatgpt.Server
}

// eachRelease runs f with members of the newest release, with -complete of each.
func eachRelease(t *testing.T, f func(members)) {
	t.Helper()
	t.Parallel()
	for _, version := range sampled(chatGPTReleases, realcodex.Version) {
		t.Run(version, func(t *testing.T) { f(newTrial(t, release{version: version}).members()) })
	}
}

// members gives the trial, which has no accounts yet, two with logins of ChatGPT.
func (tr trial) members() members {
	tr.t.Helper()
	m := tr.openMembers()
	m.join("work", 1)
	m.join("personal", 2)
	return m
}

// openMembers gives the trial a server of ChatGPT's, and no accounts.
func (tr trial) openMembers() members {
	tr.t.Helper()
	s, err := chatgpt.Start(tr.t.TempDir())
	testhome.NoError(tr.t, err)
	tr.t.Cleanup(s.Close)
	tr.env = append(tr.env, s.Env()...)
	m := members{tr, s}
	m.write(".codex/config.toml", m.config())
	return m
}

// config is that of the release, with which it asks the members' server.
func (m members) config() string {
	if m.before(128) {
		return m.openAI.Config() + m.trial.config()
	}
	return m.trial.config()
}

// join adds an account with the nth login.
func (m members) join(label string, n int) {
	m.t.Helper()
	m.write("auth.json", chatgpt.Auth(n))
	m.adds(m.swop("add", label, "--import", filepath.Join(m.home, "auth.json")))
}

// readUsage is what `codex swop usage --json` says of an account.
type readUsage struct {
	Label   string
	Plan    string
	Problem string
	Windows []struct {
		Minutes     int
		LeftPercent int       `json:"left_percent"`
		ResetsAt    time.Time `json:"resets_at"`
	}
}

// usage returns the limits of all accounts, by label.
func (m members) usage(args ...string) map[string]readUsage {
	m.t.Helper()
	r := m.run(m.swop(append([]string{"usage", "--json", "--timeout", "40s"}, args...)...))
	var answer struct{ Accounts []readUsage }
	if err := json.Unmarshal([]byte(r.stdout), &answer); err != nil {
		m.t.Fatalf("usage prints %q, %q: %v", r.stdout, r.stderr, err)
	}
	for _, secret := range []string{chatgpt.Token(1), chatgpt.Token(2), "refresh-", "secret-of-the-server", "account-1"} {
		if strings.Contains(r.stdout+r.stderr, secret) {
			m.t.Errorf("usage prints %q", secret)
		}
	}
	all := map[string]readUsage{}
	for _, a := range answer.Accounts {
		all[a.Label] = a
	}
	return all
}

// The real codex tells each account's own limits, and what is wrong.
func TestUsage(t *testing.T) {
	eachRelease(t, func(m members) {
		resets := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
		m.openAI.SetLimits(1, chatgpt.Limits{Short: 42, Long: 7, Resets: resets})
		m.openAI.SetLimits(2, chatgpt.Limits{Short: 100, Long: 50, Resets: resets, Reached: "rate_limit_reached"})
		before := m.files(m.shared(), "*.sqlite")
		got := m.usage()
		for label, want := range map[string][]int{"work": {58, 93}, "personal": {0, 50}} {
			u := got[label]
			if u.Problem != "" || u.Plan != "plus" || len(u.Windows) != 2 || u.Windows[0].Minutes != 300 || u.Windows[1].Minutes != 10080 ||
				u.Windows[0].LeftPercent != want[0] || u.Windows[1].LeftPercent != want[1] || !u.Windows[0].ResetsAt.Equal(resets) {
				m.t.Errorf("usage of %s: %+v, want %d %% left, reset at %v", label, u, want, resets)
			}
		}
		asked := m.openAI.Asked()
		if slices.Sort(asked); !slices.Equal(asked, []string{"account-1", "account-2"}) {
			m.t.Errorf("asked for the limits of %q, want each account once", asked)
		}
		if after := m.files(m.shared(), "*.sqlite"); !slices.Equal(after, before) {
			m.t.Errorf("the question leaves the databases %q, before %q", after, before)
		}
		for status, want := range map[int]string{401: "refused", 500: "failed"} {
			m.openAI.SetLimits(1, chatgpt.Limits{Status: status})
			if got := m.usage("work", "--max-age", "0")["work"].Problem; got != want {
				m.t.Errorf("with a status of %d the problem is %q, want %q", status, got, want)
			}
		}
		m.openAI.SetLimits(1, chatgpt.Limits{Status: chatgpt.NoAnswer})
		if got := m.usage("work", "--max-age", "0", "--timeout", "2s")["work"].Problem; got != "timeout" {
			m.t.Errorf("of a server that never answers the problem is %q, want timeout", got)
		}
		m.interruptUsage()
		m.add("ci", workLogin)
		m.ok(m.swop("logout", "personal", "--yes"))
		m.openAI.Close()
		got = m.usage("--max-age", "0")
		for label, want := range map[string]string{"work": "offline", "ci": "api-key", "personal": "logged-out"} {
			if got[label].Problem != want {
				m.t.Errorf("the problem of %s is %q, want %q", label, got[label].Problem, want)
			}
		}
		if left := processes(m.t, m.home); len(left) > 0 {
			m.t.Errorf("processes are left: %v", left)
		}
	})
}

// Five logins that have expired are renewed by usage, one after the other, and each once; 0.92 renews none that is new to it. A session
// renews that of a confined account.
func TestUsageRenewsOneByOne(t *testing.T) {
	m := newTrial(t, release{version: realcodex.Version}).openMembers()
	const logins = 5
	var labels []string
	m.env = append(m.env, m.openAI.RenewalAt())
	m.openAI.DelayRenewals(300 * time.Millisecond) // so that any two at the same time are seen
	for n := 11; n < 11+logins; n++ {
		m.openAI.SetLimits(n, chatgpt.Limits{Short: 1, Long: 1, Resets: time.Now().Add(time.Hour)})
		m.write("auth.json", m.openAI.Issue(n, -time.Hour))
		labels = append(labels, fmt.Sprint("expired-", n))
		m.adds(m.swop("add", labels[len(labels)-1], "--import", filepath.Join(m.home, "auth.json")))
	}
	for label, u := range m.usage(labels...) {
		if u.Problem != "" {
			m.t.Errorf("the problem of %s is %q", label, u.Problem)
		}
	}
	renewed := m.openAI.Renewed()
	if len(renewed) != logins {
		m.t.Errorf("%d logins are renewed, want %d: %v", len(renewed), logins, renewed)
	}
	tokens := map[string]bool{}
	for i, r := range renewed {
		if tokens[r.Token] {
			m.t.Errorf("a token is used twice: %v", renewed)
		}
		tokens[r.Token] = true
		if i > 0 && r.Began.Before(renewed[i-1].Ended) {
			m.t.Errorf("two logins are renewed at the same time: %v", renewed)
		}
	}
	m.write("auth.json", m.openAI.Issue(3, -time.Hour))
	m.adds(m.swop("add", "shut", "--confine", "workspace-write", "--import", filepath.Join(m.home, "auth.json")))
	if got := m.usage("shut")["shut"].Problem; got != "expired" || len(m.openAI.Renewed()) != logins {
		m.t.Errorf("the problem of a confined account is %q, and it renews: %v", got, m.openAI.Renewed())
	}
}

// interruptUsage interrupts a question to a server that never answers: the codex that is left ends, and it is not kept as a failure.
func (m members) interruptUsage() {
	m.t.Helper()
	asked := len(m.openAI.Asked())
	c := m.start(m.swop("usage", "work", "--max-age", "0", "--timeout", patience.String()))
	eventually(m.t, "the question", func() bool { return len(m.openAI.Asked()) > asked })
	testhome.NoError(m.t, c.Process.Signal(os.Interrupt))
	if r := m.finish(c); r.status != 130 || r.stdout != "" {
		m.t.Errorf("interrupted, usage exits %d and prints %q, %q, want 130 and nothing", r.status, r.stdout, r.stderr)
	}
	eventually(m.t, "the end of codex", func() bool { return len(processes(m.t, m.home)) == 0 })
}

// A release that cannot be asked says so.
func TestUsageUnsupported(t *testing.T) {
	m := newTrial(t, releases[0]).members()
	if got := m.usage("work")["work"].Problem; got != "unsupported" {
		t.Errorf("the problem is %q, want unsupported", got)
	}
}
