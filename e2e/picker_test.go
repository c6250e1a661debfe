//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What `codex swop use` asks on a terminal: each way to answer and to leave, and that nothing of it is on the screen afterwards.
func TestPicker(t *testing.T) {
	u := newUserWithAccounts(t)
	for _, c := range []struct {
		keys           []string
		status         int
		active, screen string
	}{
		{[]string{"q"}, 130, "", ""},
		{[]string{"C-d"}, 130, "", ""},
		{[]string{"Enter"}, 0, "", "swop: no account was active\n"},
		{[]string{"2", "Enter"}, 0, "work", "swop: codex runs as \"work\"\n"},
		{[]string{"1", "C-c"}, 130, "work", ""},
		{[]string{"Enter"}, 0, "work", "swop: codex runs as \"work\"\n"},
		{[]string{"3", "Enter", "q"}, 130, "work", ""},
		{[]string{"Down", "é", "Enter", "C-c"}, 130, "work", ""},
		{[]string{"9", "9", "9", "9", "9", "9", "9", "Enter", "1", "2", "BSpace", "Enter"}, 0, "personal", "swop: codex runs as \"personal\"\n"},
		{[]string{"0", "Enter"}, 0, "", "swop: codex runs without an account\n"},
	} {
		size := "100x30"
		if c.screen == "" {
			size = "14x4" // where no line has room
		}
		pickAt(t, u, size, c.keys, c.status, c.screen)
		if got := u.ok(u.swop("which", "--short")).stdout; got != c.active+"\n" {
			t.Errorf("after %q codex runs as %q, want %q", c.keys, got, c.active)
		}
	}
}

// pickAt answers `codex swop use` with the keys on a terminal of a size, and compares the exit status, the terminal's modes and the screen.
func pickAt(t *testing.T, u *user, size string, keys []string, status int, want string) {
	t.Helper()
	u.pickIn(size, "codex swop use", "0-", keys, status, want)
}

// pickIn answers a verb that asks, once the screen shows its question.
func (u *user) pickIn(size, verb, question string, keys []string, status int, want string) {
	t := u.t
	t.Helper()
	w := u.openTerminal("read start; clear; echo above; stty -g >before; " + verb + "; echo $? >status; stty -g >after; : >left; cat >/dev/null")
	defer w.close()
	os.Remove(filepath.Join(u.work, "left")) // of an earlier run
	width, height, _ := strings.Cut(size, "x")
	w.tmux("resize-window", "-x", width, "-y", height)
	w.tmux("send-keys", "Enter")
	w.await(question)
	for _, key := range keys {
		w.tmux("send-keys", key)
	}
	eventually(t, "the end of the picker", func() bool { _, err := os.Stat(filepath.Join(u.work, "left")); return err == nil })
	if got := strings.TrimRight(w.tmux("capture-pane", "-p", "-S", "-"), "\n"); got != strings.TrimRight("above\n"+want, "\n") {
		t.Errorf("after %q at %s the screen shows %q, want %q below a line", keys, size, got, want)
	}
	if got := u.read("status"); got != fmt.Sprintf("%d\n", status) {
		t.Errorf("after %q at %s the exit status is %q, want %d", keys, size, got, status)
	}
	if before, after := u.read("before"), u.read("after"); before != after || before == "" {
		t.Errorf("after %q at %s the terminal's modes are %q, before %q", keys, size, after, before)
	}
}

// Thirty accounts on ten lines are shown in pages, and all lines are erased.
func TestPickerPages(t *testing.T) {
	u := newUserWithAccounts(t)
	for i := range 28 {
		u.ok(u.swop("add", fmt.Sprintf("agent %02d", i), "--no-login"))
	}
	pickAt(t, u, "40x10", []string{"Space", "Space", "Space", "Space", "2", "8", "Enter"}, 0, "swop: codex runs as \"agent 27\"\n")
	pickAt(t, u, "40x10", []string{"q"}, 130, "")
	pickAt(t, u, "20x2", []string{"Space", "3", "1", "Enter", "C-c"}, 130, "")
}

// What `codex swop resume` asks: each way to leave.
func TestResumePicker(t *testing.T) {
	u := newUserWithAccounts(t)
	u.ok(u.exec("<the first>").as("work"))
	u.ok(u.exec("<the second>").as("personal"))
	for _, key := range []string{"q", "C-c", "C-d"} {
		u.pickIn("100x30", "codex swop resume", "<the first>", []string{"7", "Enter", key}, 130, "")
	}
	u.pickIn("14x4", "codex swop resume", "1-2", []string{"q"}, 130, "")
}

func (u *user) read(name string) string {
	u.t.Helper()
	text, err := os.ReadFile(filepath.Join(u.work, name))
	if err != nil {
		u.t.Error(err)
	}
	return string(text)
}
