//go:build linux

package e2e

import (
	"encoding/json"
	"testing"
)

// The tokens of sessions are counted for the account that made them, as the real codex writes them down.
func TestTokens(t *testing.T) {
	eachRelease(t, func(m members) {
		m.ok(m.exec("<one>").as("work"))
		m.ok(m.exec("<two>").as("work"))
		m.ok(m.exec("<three>").as("personal"))
		m.ok(m.codex("exec", "--skip-git-repo-check", "resume", threadID(m.newest()), "<more>").as("personal"))
		want := map[string]int{"work": 4, "personal": 4} // two for each turn
		if m.before(163) {
			want = map[string]int{"-": 8}
		}
		for range 2 { // without the index, and with it
			var answer struct {
				Rows []struct {
					Name  string
					Total int `json:"total_tokens"`
				}
			}
			r := m.ok(m.swop("usage", "--since", "1d", "--json"))
			if err := json.Unmarshal([]byte(r.stdout), &answer); err != nil {
				t.Fatalf("usage --since prints %q: %v", r.stdout, err)
			}
			for _, row := range answer.Rows {
				if row.Total != want[row.Name] {
					m.t.Errorf("%s has used %d tokens, want %d", row.Name, row.Total, want[row.Name])
				}
			}
			if len(answer.Rows) != len(want) {
				m.t.Errorf("the rows are %+v, want %v", answer.Rows, want)
			}
		}
	})
}
