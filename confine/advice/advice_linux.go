// Package advice lets git say what a session can ask for where it could not write to its repository: the kernel's error, which git prints, cannot. Git
// tells of each call, and of its errors, what it connects to where [Variable] says so (api-trace2(7), since 2.22).
package advice

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"swop/confine/desk"
	"swop/say"
)

// File is the name in [desk.RuntimeDir] of what git connects to.
const File = "git"

// The environment variable by which git tells, and its value.
const (
	Variable = "GIT_TRACE2"
	Value    = "af_unix:stream:" + desk.RuntimeDir + "/" + File
)

// packet is the most that is read at once (PIPE_BUF), of which longest can be repeated.
const (
	packet  = 4 << 10
	longest = 1 << 10
)

// Give reads what a call of git says, as peer.Told has it, and writes to the descriptor 2 of that process what helps. It closes both.
func Give(said, process *os.File) {
	defer said.Close()
	defer process.Close()
	var c call
	part := make([]byte, packet)
	for {
		n, err := said.Read(part)
		if err != nil {
			return
		}
		if text := c.hears(string(part[:n])); text != "" {
			await(said) // before it says more, it prints its error
			write(process, text)
		}
	}
}

// await waits until there is something to read, or nobody writes any more.
func await(said *os.File) {
	for {
		if _, err := unix.Poll([]unix.PollFd{{Fd: int32(said.Fd()), Events: unix.POLLIN}}, -1); !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// write writes to the descriptor 2 of a process. One that has ended, or has none, is told nothing; nor is one whose errors nobody takes at once, or a terminal on
// which only what runs in its foreground may write, for this process would wait, or be stopped.
func write(process *os.File, text string) {
	fd, err := unix.PidfdGetfd(int(process.Fd()), 2, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if t, err := unix.IoctlGetTermios(fd, unix.TCGETS); err == nil && t.Lflag&unix.TOSTOP != 0 {
		return
	}
	if n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 0); n > 0 && err == nil {
		_, _ = unix.Write(fd, []byte(text)) // nobody may read it
	}
}

// call is what a call of git has said of itself, quoted as for a shell.
type call struct{ command, tree string }

// hears returns what helps with what a call says, "" for nothing; it does so once.
func (c *call) hears(said string) string {
	fields := strings.SplitN(said, " ", 3) // the time, and the line of git's source
	if len(fields) < 3 {
		return ""
	}
	kind, text, _ := strings.Cut(strings.Trim(fields[2], " \n"), " ")
	switch {
	case kind == "start":
		c.command = text
	case kind == "worktree" && c.tree == "":
		c.tree = text
	case kind == "error" && c.tree != "" && isRefused(text):
		advice := c.advice()
		*c = call{}
		return advice
	}
	return ""
}

// isRefused reports whether an error of git's says that it could not write to its repository.
func isRefused(text string) bool {
	return strings.Contains(text, ".git/") && strings.HasSuffix(text, ": Read-only file system")
}

func (c *call) advice() string {
	command := c.command
	if len(command) > longest || say.OneLine(command) != command {
		command = "COMMAND"
	}
	return fmt.Sprintf("hint: .git is read-only in this session; to ask the user for it: codex swop ask --write %s/.git -- %s\n", say.OneLine(c.tree), command)
}
