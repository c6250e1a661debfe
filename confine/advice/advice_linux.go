// Package advice lets git say what a session can ask for where it could not write to its repository: the kernel's error, which git prints, cannot. Git
// tells of each call, and of its errors, what it connects to where [Variable] says so (api-trace2(7), since 2.22).
package advice

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"swop/confine/desk"
	"swop/say"
)

// Socket is the name in [desk.RuntimeDir] of what git connects to.
const Socket = "git.sock"

// The environment variable by which git tells, and its value.
const (
	Variable = "GIT_TRACE2_EVENT"
	Value    = "af_unix:stream:" + desk.RuntimeDir + "/" + Socket
)

// patience bounds how long a descriptor is held: who reads a program's errors until all have closed them would wait for a daemon that it starts, too.
const (
	patience = time.Second
	tick     = 50 * time.Millisecond
)

// longest bounds what is kept of what git says, and longestCommand what is repeated of it.
const (
	longest        = 256 << 10
	longestCommand = 1 << 10
)

type event struct {
	Event    string   `json:"event"`
	Argv     []string `json:"argv"`
	Worktree string   `json:"worktree"`
	Message  string   `json:"msg"`
}

// Give takes what a call of git says until it has ended, and writes to its stderr what helps. It closes both. It wakes up for the end alone: to do so for each
// event would take as long as many a call.
func Give(events, stderr *os.File) {
	defer events.Close()
	defer stderr.Close()
	var said bytes.Buffer
	for range patience / tick {
		ended := []unix.PollFd{{Fd: int32(events.Fd())}} // of what can be read it says nothing
		n, err := unix.Poll(ended, int(tick.Milliseconds()))
		take(events, &said)
		if n > 0 && err == nil {
			_, _ = io.WriteString(stderr, text(&said)) // nobody may read it
			return
		}
	}
	_ = stderr.Close()                 // it was not written to
	_, _ = io.Copy(io.Discard, events) // a git that cannot write would wait
}

// take moves what can be read to the end of said, or drops it where that is too long.
func take(events *os.File, said *bytes.Buffer) {
	part := make([]byte, 32<<10)
	for {
		n, _, err := unix.Recvfrom(int(events.Fd()), part, unix.MSG_DONTWAIT)
		if n <= 0 || err != nil {
			return
		}
		if said.Len() < longest {
			said.Write(part[:n])
		}
	}
}

// text is what helps with the errors that a call of git told, "" for nothing.
func text(said *bytes.Buffer) string {
	var argv []string
	worktree, refused := "", false
	for events := json.NewDecoder(said); ; {
		var e event
		if events.Decode(&e) != nil {
			break
		}
		switch e.Event {
		case "start":
			argv = e.Argv
		case "def_repo":
			worktree = e.Worktree
		case "error":
			refused = refused || isRefused(e.Message)
		}
	}
	if !refused || worktree == "" {
		return ""
	}
	return advice(worktree, argv)
}

// isRefused reports whether an error of git's says that it could not write to its repository.
func isRefused(message string) bool {
	return strings.Contains(message, ".git/") && strings.HasSuffix(message, ": Read-only file system")
}

func advice(worktree string, argv []string) string {
	command := "COMMAND"
	var words []string
	for _, arg := range argv {
		words = append(words, say.ShellQuote(arg))
	}
	if all := strings.Join(words, " "); len(all) <= longestCommand && say.OneLine(all) == all {
		command = all
	}
	return fmt.Sprintf("hint: .git is read-only in this session; to ask the user for it: codex swop ask --write %s -- %s\n", say.ShellQuote(worktree+"/.git"), command)
}
