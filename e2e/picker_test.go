//go:build linux

package e2e

import (
	"testing"
)

// The menu of `codex swop use` on a terminal: keys, a search, and leaving it.
func TestPicker(t *testing.T) {
	u := newUserWithAccounts(t)
	for _, c := range []struct {
		keys         []string
		want, active string
	}{
		{[]string{"Escape"}, "nothing was chosen", ""},
		{[]string{"Down", "Enter"}, `codex runs as "work"`, "work"},
		{[]string{"C-c"}, "nothing was chosen", "work"},
		{[]string{"/", "o", "n", "a", "Enter", "Enter"}, `codex runs as "personal"`, "personal"},
	} {
		w := u.openTerminal("codex swop use; echo ended; cat") // whatever else is typed, the pane stays, and its first line with it
		w.await("filter")                                      // the last line of the menu
		for _, key := range c.keys {
			w.tmux("send-keys", key)
		}
		w.await(c.want)
		w.await("ended")
		if got := u.ok(u.swop("which", "--short")).stdout; got != c.active+"\n" {
			t.Errorf("after %q codex runs as %q, want %q", c.keys, got, c.active)
		}
		w.close()
	}
}
