//go:build unix

package install

import (
	"errors"
	"io"

	"swop/config"
)

// Options is what [Install] and [Uninstall] are given.
type Options struct {
	Prefix string     // absolute; "" means [DefaultPrefix]
	From   string     // the directory that holds the two new programs; they may be the installed ones
	Home   string     // the real home, absolute
	Env    config.Env // the caller's environment, outside of any session
	Shell  string     // the user's shell, a path or a name; "" means SHELL of Env

	NoModifyPath bool // change no start-up file
	EveryPrompt  bool // from now on, put bin first again before each prompt: tools such as mise put theirs first there
	WithCodex    bool // install the real Codex with npm if it is missing
	Yes          bool // and do not ask first

	// Ask asks the person at the terminal and reports whether the answer was yes. Nil: there is no terminal.
	Ask func(question string) (bool, error)
	// FindReal returns the real codex that a shell with Env would run. Nil: only the prefix is searched for one.
	FindReal func() (string, error)
	// Progress receives npm's output. Nil drops it.
	Progress io.Writer

	// Completions are the completion scripts for bash, zsh and fish, by the shell's name. Empty: none is installed.
	Completions map[string]string

	// Purge removes the accounts and returns what it removed. It runs first: if it fails, nothing else is removed. Nil keeps them.
	Purge func() ([]string, error)
	// Accounts is the root of the accounts, for the line that says that they are kept; "" prints none.
	Accounts string
}

// Install copies the programs in o.From to the prefix and adds swop's block to the start-up files. A second run changes nothing.
// A step that failed but that the rest does not need, as with a read-only start-up file, is a warning in the report. An error that wraps
// [ErrUsage] or [disk.ErrUnsafe] means that nothing was changed; with any other, the report says what was done before it.
func Install(o Options) (Report, error) {
	s, err := begin(o)
	if err != nil {
		return Report{}, err
	}
	programs, err := planPrograms(o.From, s.bin)
	if err == nil {
		err = s.refuseOtherUsers(programs)
	}
	if err == nil {
		err = s.planCodex()
	}
	if err != nil {
		return Report{}, err
	}
	err = s.act(programs)
	return s.report, err
}

func (s *session) act(programs []program) error {
	if err := s.makeBin(); err != nil {
		return err
	}
	unlock, err := lock(s.bin)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.recordEveryPrompt(); err != nil {
		return err
	}
	if err := errors.Join(s.removeLeftovers(), s.placePrograms(programs)); err != nil {
		return err
	}
	s.placeCompletions()
	err = s.installCodex()
	if !s.o.NoModifyPath {
		s.addLines()
	}
	s.describe()
	return err
}
