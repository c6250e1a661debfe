package e2e

import (
	"path/filepath"
	"testing"
	"time"

	"swop/internal/test/e2e/chatgpt"
)

func TestTmpUsage(t *testing.T) {
	eachRelease(t, func(m members) {
		resets := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
		m.env = append(m.env, m.openAI.RenewalAt())
		for n, valid := range map[int]time.Duration{11: time.Hour, 12: -time.Hour} {
			m.openAI.SetLimits(n, chatgpt.Limits{Short: 42, Long: 7, Resets: resets})
			m.write("auth.json", m.openAI.Issue(n, valid))
			label := map[int]string{11: "valid", 12: "expired"}[n]
			m.adds(m.swop("add", label, "--confine", "workspace-write", "--import", filepath.Join(m.home, "auth.json")))
			m.t.Logf("%s: %+v %v", label, m.usage(label)[label], m.openAI.Renewed())
		}
		m.t.Log(m.openAI.Renewals(), m.run(m.swop("doctor")).stdout)
	})
}
