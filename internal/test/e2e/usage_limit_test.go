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
)

// At the limit in the middle of a turn, the terminal interface stays open; next --resume goes on with its session.
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
		w = m.openTerminal("codex swop next --resume --timeout 40s", "SWOP_ACCOUNT=work")
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

// A session's start has codex asked, and on_limit run, beside the session.
func TestOnLimit(t *testing.T) {
	eachRelease(t, func(m members) {
		m.openAI.SetLimits(1, chatgpt.Limits{Short: 96, Long: 7, Resets: time.Now().Add(time.Hour)})
		told := filepath.Join(m.home, "told")
		m.write("tell", "#!/bin/sh\nprintf '%s' \"$SWOP_LABEL $SWOP_WINDOW $SWOP_LIMIT\" >"+told+".new && mv "+told+".new "+told+"\n")
		if err := os.Chmod(filepath.Join(m.home, "tell"), 0o700); err != nil {
			m.t.Fatal(err)
		}
		m.write(".config/swop/config.toml", "[usage]\non_limit = [\""+filepath.Join(m.home, "tell")+"\"]\n")
		r := m.ok(m.exec("<near>").as("work"))
		if strings.Contains(r.stderr, "swop:") {
			m.t.Errorf("the session says %q", r.stderr)
		}
		eventually(m.t, "the command", func() bool {
			text, err := os.ReadFile(told)
			return err == nil && string(text) == "work 5 hours 95"
		})
		if left := len(m.openAI.Asked()); left != 1 {
			m.t.Errorf("the limits were asked for %d times, want once", left)
		}
	})
}
