package advice

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// call is what git says of a commit that fails with an error, as 2.39 does.
func call(argv, message string) string {
	return `{"event":"version","sid":"s","evt":"3","exe":"2.39.5"}
{"event":"start","t_abs":0.0003,"argv":[` + argv + `]}
{"event":"def_repo","repo":1,"worktree":"/w o"}
{"event":"error","msg":"` + message + `","fmt":"%s"}
{"event":"exit","code":128}
`
}

func TestText(t *testing.T) {
	const commit, lock, hint = `"git","commit","-m","a b"`, `Unable to create '/w o/.git/index.lock': Read-only file system`, "hint: .git is read-only in this session; to ask the user for it: codex swop ask --write '/w o/.git' -- "
	for _, tt := range []struct{ name, said, want string }{
		{"a commit", call(commit, lock), hint + "git commit -m 'a b'\n"},
		{"a setting", call(`"git","config","a.b","c"`, "could not lock config file .git/config: Read-only file system"), hint + "git config a.b c\n"},
		{"half an event at the end", call(commit, lock) + `{"event":"atexi`, hint + "git commit -m 'a b'\n"},
		{"another error", call(commit, "nothing to commit"), ""},
		{"a full disk", call(commit, `Unable to create '/w/.git/index.lock': No space left on device`), ""},
		{"a file of the work tree", call(commit, "unable to create file x: Read-only file system"), ""},
		{"no repository", strings.Replace(call(commit, lock), `"worktree":"/w o"`, `"worktree":""`, 1), ""},
		{"a message with what a terminal obeys", call(`"git","commit","-m","\u001b[2J"`, lock), hint + "COMMAND\n"},
		{"a message of lines", call(`"git","commit","-m","a\nb"`, lock), hint + "COMMAND\n"},
		{"a long message", call(`"git","commit","-m","`+strings.Repeat("x", longestCommand)+`"`, lock), hint + "COMMAND\n"},
		{"nothing", "", ""},
		{"no events", "hello\n{", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := text(bytes.NewBufferString(tt.said)); got != tt.want {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

// giving lets Give listen, and returns git's end and what reads its errors.
func giving(t *testing.T) (git, errors *os.File) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	testhome.NoError(t, err)
	errors, stderr, err := os.Pipe()
	testhome.NoError(t, err)
	go Give(os.NewFile(uintptr(pair[1]), "events"), stderr)
	return os.NewFile(uintptr(pair[0]), "git"), errors
}

// TestGive: a call of git has the advice when it has ended, however much it says.
func TestGive(t *testing.T) {
	git, errors := giving(t)
	_, err := git.WriteString(call(`"git","add","a"`, ".git/index.lock: Read-only file system") + strings.Repeat(`{"event":"data"}`+"\n", 1<<16))
	testhome.NoError(t, err)
	testhome.NoError(t, git.Close())
	got, err := io.ReadAll(errors)
	if !strings.HasSuffix(string(got), " -- git add a\n") || err != nil {
		t.Errorf("git's errors: %q, %v", got, err)
	}
}

// TestGiveDaemon: who waits until nobody has git's stderr any more does not wait for a daemon of git's, and that can go on.
func TestGiveDaemon(t *testing.T) {
	git, errors := giving(t)
	defer git.Close()
	testhome.NoError(t, errors.SetReadDeadline(time.Now().Add(20*patience)))
	if got, err := io.ReadAll(errors); len(got) > 0 || err != nil {
		t.Errorf("git's errors: %q, %v", got, err)
	}
	_, err := git.WriteString(strings.Repeat(`{"event":"data"}`+"\n", 1<<16))
	testhome.NoError(t, err)
}
