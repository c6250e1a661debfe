// Package install places swop's two programs in a directory of their own, puts that directory first on PATH for new shells, and
// takes both away again without a trace.
//
// Everything comes in as a value; nothing is asked of the process but its user id. Nothing that is not swop's is overwritten or
// removed. Every step is a rename or an append, so that an interrupted run is completed by the next.
package install

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"swop/config"
	"swop/say"
)

// Options is what [Install] and [Uninstall] are given.
type Options struct {
	Prefix string     // absolute; "" means [DefaultPrefix]
	From   string     // the directory that holds the two new programs; they may be the installed ones
	Home   string     // the real home, absolute
	Env    config.Env // the caller's environment, outside of any session
	Shell  string     // the user's shell, a path or a name; "" means SHELL of Env

	NoModifyPath bool // leave every start-up file alone
	EveryPrompt  bool // put bin first again before each prompt, from now on: tools such as mise put theirs first there
	WithCodex    bool // get the real Codex from npm where there is none
	Yes          bool // and do not ask first

	// Ask puts a question to the person at the terminal and says whether the answer was yes. Nil: there is no terminal.
	Ask func(question string) (bool, error)
	// FindReal returns the real codex that a shell with Env would run. Nil: none is looked for outside the prefix.
	FindReal func() (string, error)
	// Progress takes what npm says. Nil drops it.
	Progress io.Writer

	// Completions are what completes codex in bash, zsh and fish, by the shell's name. Empty: no shell is told of any.
	Completions map[string]string

	// Purge removes the accounts and returns what it removed. It runs first: where it fails, all stays. Nil keeps them.
	Purge func() ([]string, error)
	// Accounts is the root of the accounts, for the line that says that they stay; "" says nothing.
	Accounts string
}

// Install places the programs of o.From in the prefix and adds swop's lines to the start-up files. A second run changes nothing.
// What it could not do but the rest does not need, as with a read-only start-up file, is a warning of the report. An error of kind
// [ErrUsage] or [ErrUnsafe] means that nothing was begun; with any other, the report says what was done before it.
func Install(o Options) (Report, error) {
	s, err := begin(o)
	if err != nil {
		return Report{}, err
	}
	programs, err := planPrograms(o.From, s.bin)
	if err == nil {
		err = s.refuseTheirs(programs)
	}
	if err != nil {
		return Report{}, err
	}
	if err := s.planCodex(); err != nil {
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
	if err := s.noteEveryPrompt(); err != nil {
		return err
	}
	if err := errors.Join(s.removeLeft(), s.placePrograms(programs)); err != nil {
		return err
	}
	s.placeCompletions()
	err = s.fetchCodex()
	if !s.o.NoModifyPath {
		s.addLines()
	}
	s.describe()
	return err
}

// A session is one run of Install or Uninstall.
type session struct {
	o      Options
	prefix string
	bin    string // <prefix>/bin
	npm    string // <prefix>/npm
	place  *place // of the start-up files, once it was asked for
	record record // what earlier runs made, and this one
	fetch  bool   // the real Codex is to be got
	lined  bool   // a start-up file has swop's lines
	report Report
}

// begin checks the options and reads what earlier runs have written down.
func begin(o Options) (*session, error) {
	if !filepath.IsAbs(o.Home) {
		return nil, kindOf{fmt.Errorf("the home directory is %q, which is not an absolute path", o.Home), ErrUsage}
	}
	if o.Prefix == "" {
		o.Prefix = DefaultPrefix(o.Home, o.Env)
	}
	if err := checkPrefix(o.Prefix); err != nil {
		return nil, err
	}
	if err := checkOwner(o.Home, o.Env); err != nil {
		return nil, err
	}
	if o.Shell == "" {
		o.Shell = o.Env.Value("SHELL")
	}
	s := &session{o: o, prefix: o.Prefix, bin: filepath.Join(o.Prefix, "bin"), npm: filepath.Join(o.Prefix, "npm")}
	s.report.Bin = s.bin
	rec, err := readRecord(s.prefix, o.Home)
	s.record = rec
	return s, err
}

// DefaultPrefix returns $XDG_DATA_HOME/swop, or ~/.local/share/swop where the variable is unset or relative.
func DefaultPrefix(home string, env config.Env) string {
	if data := env.Value("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "swop")
	}
	return filepath.Join(home, ".local", "share", "swop")
}

// PrefixOf returns the prefix that the program at executable is installed in, "" if it is not installed.
func PrefixOf(executable string) string {
	bin := filepath.Dir(executable)
	if prefix := filepath.Dir(bin); filepath.Base(bin) == "bin" && exists(recordFile(prefix)) {
		return prefix
	}
	return ""
}

// checkPrefix refuses a prefix that an entry of PATH cannot hold.
func checkPrefix(prefix string) error {
	var err error
	switch {
	case !filepath.IsAbs(prefix):
		err = fmt.Errorf("the prefix %q is not an absolute path", prefix)
	case strings.ContainsAny(prefix, string(filepath.ListSeparator)+"\n\r\x00"):
		err = fmt.Errorf("the prefix %q holds a character that PATH cannot hold", prefix)
	default:
		return nil
	}
	return say.WithHint(kindOf{err, ErrUsage}, "./install.sh --prefix DIR")
}
