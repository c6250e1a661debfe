//go:build linux

package e2e

import (
	"strings"
	"testing"
	"time"

	"swop/internal/test/e2e/chatgpt"
	"swop/internal/test/e2e/responses"
)

// At the limit in the middle of a turn, the terminal interface stays open; after next, resume goes on with its session.
func TestLimitInTerminal(t *testing.T) {
	eachRelease(t, func(m members) {
		m.restore(2)
		m.write(".codex/config.toml", strings.Replace(m.config(), `"gpt-5"`, `"test-model"`, 1)) // which codex offers no other for
		m.spend(1, 1, time.Now().Add(time.Hour))
		m.model.Call("echo one")
		w := m.openTerminal("codex --dangerously-bypass-approvals-and-sandbox '<in the terminal>'", "SWOP_ACCOUNT=work")
		w.await("hit your usage limit")
		w.tmux("send-keys", "C-c")
		w.tmux("send-keys", "C-d")
		w.wait()
		w.close()
		m.noSession()
		w = m.openTerminal("codex swop next; unset SWOP_ACCOUNT; codex swop resume --last", "SWOP_ACCOUNT=work")
		m.agree(w)
		w.await("<in the terminal>")
		w.ask("<on>")
		turn := m.turn("<on>")
		if turn.Bearer != chatgpt.Token(2) || strings.Count(string(turn.Body), "<in the terminal>") != 1 {
			m.t.Errorf("it goes on with %.60q and %s", turn.Bearer, turn.Body)
		}
		w.await(responses.Reply)
		w.close() // 0.92 asks whether to use another model
		m.noSession()
	})
}
