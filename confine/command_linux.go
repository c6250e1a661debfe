package confine

import (
	"io"
	"os"
	"runtime"
	"strings"

	"swop/config"
	"swop/confine/mountns"
)

// Command is a program that is started with more descriptors than the three: the first of Files is 3.
type Command struct {
	Path  string
	Args  []string
	Files []*os.File

	// Messages takes what the program says, in the place of stderr. What it runs inside has the real one as the next descriptor after Files.
	Messages *os.File

	// Control and Plan are the descriptors after that one; nil for none. With them, the process is to be started as Attributes says.
	Control, Plan *os.File
}

// Close closes the files.
func (c Command) Close() {
	for _, file := range append(c.Files, c.Messages, c.Control, c.Plan) {
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

// Open returns what will run the helper inside. status becomes the helper's descriptor 3. With Control the command can be started at once, and
// waits; else [Session.Fill] comes before. The caller closes the command in any case.
func (s *Session) Open(status *os.File) (c Command, err error) {
	program, ok := filter(runtime.GOARCH)
	if !ok {
		return c, unavailable("no filter of system calls is known for %s", runtime.GOARCH)
	}
	c.Files = []*os.File{status}
	for _, text := range []string{string(program), ""} {
		file, err := memoryFile(text)
		if err != nil {
			return c, err
		}
		c.Files = append(c.Files, file)
	}
	if c.Messages, err = memoryFile(""); err == nil && s.scene.Live {
		c.Path = s.request.Helper
		err = s.live.open(&c)
	}
	return c, err
}

// Fill completes a command: it runs the helper with these arguments and this environment.
func (s *Session) Fill(c *Command, env config.Env, args ...string) error {
	mounts, err := s.scene.mounts()
	if err != nil {
		return err
	}
	if err := fill(c.Files[2], mountns.NulSeparated(s.scene.bwrapArgs(mounts))); err != nil {
		return err
	}
	args = append([]string{"bwrap", "--args", "5", "--seccomp", "4", "--", HelperPath}, args...)
	if c.Control == nil {
		c.Path, c.Args = s.bwrap, args
		return nil
	}
	p := mountns.Plan{Stage: s.scene.Runtime, Program: s.bwrap, Args: args, Env: env, Mounts: mounts}
	return fill(c.Plan, p.Text())
}

// LookAgain finds out which sockets the system has now: one that is gone cannot be covered.
func (s *Session) LookAgain() (err error) {
	s.scene.Sockets, err = hostSockets(&s.scene)
	return err
}
