//go:build linux

package e2e

import (
	"encoding/json"
	"strings"

	"swop/internal/test/e2e/chatgpt"
)

// checkChatGPT has two accounts with logins of ChatGPT, in a home of their own.
func (tr trial) checkChatGPT() {
	m := makeTrial(tr.t, tr.release, tr.programs, freshHome(tr.t, "home-")).members()
	for label, n := range map[string]int{"work": 1, "personal": 2} {
		prompt := "<begun by " + label + ">"
		m.says(m.exec(prompt).as(label))
		m.wantBearer(prompt, chatgpt.Token(n))
	}
	begun := m.rollouts()
	if len(begun) != 2 {
		m.t.Fatalf("transcripts in ~/.codex/sessions: %q, want two", begun)
	}
	for i, session := range begun {
		label, n := "work", 1
		if strings.Contains(readText(m.t, session), "<begun by work>") {
			label, n = "personal", 2
		}
		prompt := "<" + label + " goes on with " + threadID(session) + ">"
		m.says(m.codex(m.resume(session, prompt)...).as(label))
		if r := m.turn(prompt); r.Bearer != chatgpt.Token(n) || !r.Asks("<begun by ") {
			m.t.Errorf("session %d goes on with %.60q under %s, with what was begun: %t", i, r.Bearer, label, r.Asks("<begun by "))
		}
	}
	if m.before(47) {
		return // its transcripts do not say where they were begun
	}
	var answer struct{ Sessions []struct{ ID string } }
	r := m.ok(m.swop("sessions", "--json"))
	if err := json.Unmarshal([]byte(r.stdout), &answer); err != nil || len(answer.Sessions) != 2 {
		m.t.Errorf("swop sessions prints %q: %v, want two", r.stdout, err)
	}
}
