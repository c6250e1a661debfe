//go:build linux

package e2e

import (
	"testing"
	"time"

	"swop/internal/test/e2e/chatgpt"
	"swop/internal/test/e2e/realcodex"
)

// newUsageReader makes a user with a login of ChatGPT for personal, which has much left, and one for work, which has little.
func newUsageReader(t *testing.T) members {
	t.Helper()
	m := newTrial(t, release{version: realcodex.Version}).openMembers()
	now := time.Now()
	for n, label := range []string{"personal", "work"} {
		m.join(label, n+1)
		m.openAI.SetLimits(n+1, chatgpt.Limits{Short: 96 * n, Long: 2 + 38*n, Resets: now.Add(time.Hour), Week: now.AddDate(0, 0, 2+n)})
	}
	m.usage() // which takes the time it needs; what readers type shows this answer
	return m
}

func TestDocsUsage(t *testing.T) {
	m := newUsageReader(t)
	m.spend(2, 0, time.Now().Add(time.Hour)) // which codex is asked for only once it has failed
	m.ok(m.swop("use", "work"))
	m.follow("docs/usage.md", tally{run: 9, notRun: 1})
}
