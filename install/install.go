package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/say"
)

// Options is what [Install] and [Uninstall] are given.
type Options struct {
	Prefix string     // absolute; "" means [DefaultPrefix]
	From   string     // the directory that holds the two new programs; they may be the installed ones
	Home   string     // the real home, absolute
	Env    config.Env // the caller's environment, outside of any session

	NoModifyPath bool // change no start-up file

	// FindReal returns the real codex that a shell with Env would run.
	FindReal func() (string, error)
	// Completions are the completion scripts, by the shell's name, that the files which put the programs on PATH load.
	Completions map[string]string

	// Purge removes the accounts and returns what it removed. It runs first: if it fails, nothing else is removed. Nil keeps them.
	Purge func() ([]string, error)
	// Accounts is the root of the accounts, for the line that says that they are kept; "" prints none.
	Accounts string
}

// Install copies the programs in o.From to the prefix, and adds swop's line to the start-up files. A second run changes nothing.
// A step that failed but that the rest does not need, as with a read-only start-up file, is a warning in the report. An error that wraps
// [ErrUsage] or [disk.ErrUnsafe] means that nothing was changed; with any other, the report says what was done before it.
func Install(o Options) (Report, error) {
	s, err := begin(o)
	if err != nil {
		return Report{}, err
	}
	programs, err := planPrograms(o.From, s.bin)
	if err != nil {
		return Report{}, err
	}
	err = s.act(programs)
	return s.report, err
}

func (s *session) act(programs []program) error {
	if err := os.MkdirAll(s.bin, 0o755); err != nil {
		return say.WithHint(err, "./install.sh --prefix DIR")
	}
	defer s.lock()()
	if err := errors.Join(s.placePrograms(programs), s.placeFiles()); err != nil {
		return err
	}
	if !s.o.NoModifyPath {
		s.addLines()
	}
	s.describe()
	return nil
}

// Uninstall removes swop's line from the start-up files, which are then byte for byte as before, and removes the programs, a Codex that
// install.sh got from npm, and the prefix if it is empty. With o.Purge the accounts are removed first. What is not
// swop's is kept, and is a warning.
func Uninstall(o Options) (Report, error) {
	s, err := begin(o)
	if err != nil {
		return Report{}, err
	}
	if err := s.purge(); err != nil {
		return s.report, err
	}
	defer s.lock()()
	s.removeLines()
	err = s.removePrograms()
	s.describeRemoval()
	return s.report, err
}

func (s *session) purge() error {
	if s.o.Purge == nil {
		return nil
	}
	gone, err := s.o.Purge()
	for _, path := range gone {
		s.report.did(path, Removed)
	}
	return err
}

// A session is one run of Install or Uninstall.
type session struct {
	o      Options
	prefix string
	bin    string // <prefix>/bin
	shell  string // the user's, a path or a name
	onPath bool   // a start-up file has swop's line

	removedCodex bool // that install.sh had got from npm
	report       Report
}

// begin returns a session. The error wraps [ErrUsage] or [disk.ErrUnsafe] where the options are refused.
func begin(o Options) (*session, error) {
	if !filepath.IsAbs(o.Home) {
		return nil, usage("the home directory is %q, which is not an absolute path", o.Home)
	}
	if o.Prefix == "" {
		o.Prefix = DefaultPrefix(o.Home, o.Env)
	}
	if err := checkPrefix(o.Prefix); err != nil {
		return nil, err
	}
	s := &session{o: o, prefix: o.Prefix, bin: filepath.Join(o.Prefix, "bin"), shell: o.Env.Value("SHELL")}
	return s, nil
}

// lock keeps other installs and uninstalls in bin waiting until unlock is called or the process ends. The directory itself is locked, so no
// file is left behind; where the file system has no locks, or bin is missing, nothing is locked.
func (s *session) lock() (unlock func()) {
	if !locksDirectories {
		return func() {}
	}
	dir, err := os.Open(s.bin)
	if err != nil {
		return func() {}
	}
	_, _ = disk.RetryEINTR(func() (struct{}, error) { return struct{}{}, sys.Flock(int(dir.Fd()), sys.LOCK_EX) }) // see above
	return func() { dir.Close() }
}

// DefaultPrefix returns $XDG_DATA_HOME/swop, or the system's own place where the variable is unset or relative.
func DefaultPrefix(home string, env config.Env) string {
	if data := env.Value("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "swop")
	}
	return filepath.Join(append([]string{home}, dataDirs...)...)
}

// PrefixOf returns the prefix that the program at executable is installed in, "" if it is not installed.
func PrefixOf(executable string) string {
	bin := filepath.Dir(executable)
	if prefix := filepath.Dir(bin); filepath.Base(bin) == "bin" && exists(filepath.Join(prefix, mainEnv)) {
		return prefix
	}
	return ""
}

// checkPrefix refuses a prefix that an entry of PATH cannot hold.
func checkPrefix(prefix string) error {
	const hint = "./install.sh --prefix DIR"
	switch {
	case !filepath.IsAbs(prefix):
		return say.WithHint(usage("the prefix %q is not an absolute path", prefix), hint)
	case strings.ContainsAny(prefix, string(filepath.ListSeparator)+"\n\r\x00"):
		return say.WithHint(usage("the prefix %q has a character that PATH cannot hold", prefix), hint)
	}
	return nil
}

// ErrUsage is the kind of the errors about an option that cannot be used. Nothing was changed when one is returned, nor with one that
// wraps [disk.ErrUnsafe].
var ErrUsage = errors.New("bad argument")

func usage(format string, args ...any) error {
	return say.Refuse(ErrUsage, fmt.Sprintf(format, args...))
}
