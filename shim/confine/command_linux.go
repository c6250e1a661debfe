package confine

import (
	"io"
	"os"
	"runtime"
	"strings"
)

// Command is a program that is started with more descriptors than the three: the first of Files is 3.
type Command struct {
	Path  string
	Args  []string
	Files []*os.File

	// Messages takes what the program says, in the place of stderr. What it runs inside has the real one as the next descriptor after Files.
	Messages *os.File

	// Control is the descriptor after that one; nil for none. With it, the process is to be started as Attributes says.
	Control *os.File
}

// Close closes the files.
func (c Command) Close() {
	for _, file := range append(c.Files, c.Messages, c.Control) {
		_ = file.Close() // nothing is written through them; one may be closed already, or missing
	}
}

// Failure returns what the program said, in one line, and why it ended in words if it said nothing.
func (c Command) Failure(end string) error {
	text, err := io.ReadAll(io.NewSectionReader(c.Messages, 0, maxMessage))
	line, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(text)), "bwrap: "), "\n")
	if err != nil || line == "" {
		line = end
	}
	return unavailable("%s", line)
}

// maxMessage bounds what is read of that.
const maxMessage = 1 << 12

// Proxied reports whether the session reaches hosts through a proxy: the helper is to pass connections on to it.
func (s *Session) Proxied() bool { return s.proxy != nil }

// Command returns what runs the helper inside, with these arguments. status becomes the helper's descriptor 3. The caller closes the
// command in any case.
func (s *Session) Command(status *os.File, args ...string) (c Command, err error) {
	plan, err := s.scene.plan()
	if err != nil {
		return c, err
	}
	program, ok := filter(runtime.GOARCH)
	if !ok {
		return c, unavailable("no filter of system calls is known for %s", runtime.GOARCH)
	}
	c = Command{Path: s.bwrap, Files: []*os.File{status}}
	c.Args = append([]string{"bwrap", "--args", "5", "--seccomp", "4", "--", HelperPath}, args...)
	for _, text := range []string{string(program), nulSeparated(s.scene.bwrapArgs(plan.list))} {
		file, err := memoryFile(text)
		if err != nil {
			return c, err
		}
		c.Files = append(c.Files, file)
	}
	if c.Messages, err = memoryFile(""); err == nil && s.scene.Live {
		err = s.live.lead(&c, s.request.Helper)
	}
	return c, err
}

// LookAgain finds out which sockets the system has now: one that is gone cannot be covered.
func (s *Session) LookAgain() (err error) {
	s.scene.Sockets, err = hostSockets(&s.scene)
	return err
}
