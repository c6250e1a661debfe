package advice

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// prefix is what git 2.39 says before each thing.
const prefix = "08:04:31.601550 common-main.c:50                  "

func TestHears(t *testing.T) {
	const lock, hint = "error Unable to create '/w o/.git/index.lock': Read-only file system", "hint: .git is read-only in this session; to ask the user for it: codex swop ask --write '/w o'/.git -- "
	const tree = "worktree '/w o'"
	for _, tt := range []struct {
		name string
		said []string
		want string
	}{
		{"a commit", []string{"version 2.39.5", "start git commit -m 'a b'", "cmd_ancestry bash <- codex", tree, "cmd_name commit (commit)", lock, "exit elapsed:0.000693 code:128"}, hint + "git commit -m 'a b'\n"},
		{"a setting", []string{"start git config a.b c", tree, "error could not lock config file .git/config: Read-only file system"}, hint + "git config a.b c\n"},
		{"two errors", []string{"start git add a", tree, lock, lock}, hint + "git add a\n"},
		{"a submodule too", []string{"start git add a", tree, "worktree /sub", lock}, hint + "git add a\n"},
		{"another error", []string{"start git commit", tree, "error nothing to commit"}, ""},
		{"a full disk", []string{"start git commit", tree, "error Unable to create '/w/.git/index.lock': No space left on device"}, ""},
		{"a file of the work tree", []string{"start git commit", tree, "error unable to create file x: Read-only file system"}, ""},
		{"no repository", []string{"start git commit", lock}, ""},
		{"what a terminal obeys", []string{"start git commit -m '\x1b[2J'", "worktree /w\x1b[2J", lock}, `hint: .git is read-only in this session; to ask the user for it: codex swop ask --write /w\x1b[2J/.git -- COMMAND` + "\n"},
		{"a message of lines", []string{"start git commit -m 'a\nb'", tree, lock}, hint + "COMMAND\n"},
		{"a long message", []string{"start git commit -m " + strings.Repeat("x", longest), tree, lock}, hint + "COMMAND\n"},
		{"nothing", []string{"", "\n", "x", "worktree", "error"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c call
			got := c.hears("no line of git's") + c.hears("")
			for _, text := range tt.said {
				got += c.hears(prefix + text + "\n")
			}
			if got != tt.want {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestGive: a program's error is followed by the advice before it goes on.
func TestGive(t *testing.T) {
	self, err := unix.PidfdOpen(os.Getpid(), 0)
	testhome.NoError(t, err)
	printed, stderr, err := os.Pipe()
	testhome.NoError(t, err)
	kept, err := unix.Dup(2)
	testhome.NoError(t, err)
	var ends [2]int
	testhome.NoError(t, unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_DIRECT)) // as package peer makes it
	said, git := os.NewFile(uintptr(ends[0]), "said"), os.NewFile(uintptr(ends[1]), "git")
	testhome.NoError(t, unix.Dup3(int(stderr.Fd()), 2, 0))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Give(said, os.NewFile(uintptr(self), "process"))
	}()
	for _, text := range []string{"start git add a", "worktree /w", "error .git/index.lock: Read-only file system"} {
		_, err = git.WriteString(prefix + text + "\n")
		testhome.NoError(t, err)
	}
	if n, err := unix.Poll([]unix.PollFd{{Fd: int32(printed.Fd()), Events: unix.POLLIN}}, 20); n != 0 || err != nil { // milliseconds
		t.Errorf("something is printed before git goes on: %d, %v", n, err)
	}
	_, err = unix.Write(2, []byte("fatal\n")) // os.Stderr may be another one in a test
	testhome.NoError(t, err)
	_, err = git.WriteString(prefix + "exit\n")
	testhome.NoError(t, errors.Join(err, git.Close()))
	<-ended
	testhome.NoError(t, errors.Join(unix.Dup3(kept, 2, 0), unix.Close(kept), stderr.Close()))
	got, err := io.ReadAll(printed)
	if want := "fatal\nhint: .git is read-only in this session; to ask the user for it: codex swop ask --write /w/.git -- git add a\n"; string(got) != want || err != nil {
		t.Errorf("printed: %q, %v, want %q", got, err, want)
	}
}
