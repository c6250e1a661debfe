package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/say"
)

// Options are the arguments of [Install] and [Uninstall].
type Options struct {
	Prefix string     // absolute; "" means [DefaultPrefix]
	From   string     // the directory that holds the two new programs; they may be the installed ones
	Home   string     // the real home, absolute
	Env    config.Env // the caller's environment, outside of any session

	NoModifyPath bool // change no start-up file
}

// A Report lists the changes of a run.
type Report struct {
	Changes  []string // "new", "changed" or "removed", and the path
	Warnings []error  // the steps that failed while the rest went on, each with what the user can do instead
	Started  bool     // new shells run codex through swop
}

// did adds a file that was changed, or that is new.
func (r *Report) did(path string, existed bool) {
	action := "new"
	if existed {
		action = "changed"
	}
	r.Changes = append(r.Changes, fmt.Sprintf("%-8s %s", action, path))
}

func (r *Report) removed(path string) {
	r.Changes = append(r.Changes, fmt.Sprintf("%-8s %s", "removed", path))
}

// A session is one run of Install or Uninstall.
type session struct {
	Options
	bin string // <prefix>/bin
	Report
}

// Install copies the programs in o.From to the prefix, and adds swop's line to the start-up files. A second run changes nothing. An error
// that wraps [ErrUsage] or [disk.ErrUnsafe] means that nothing was changed; with any other, the report says what was done before it.
func Install(o Options) (Report, error) {
	s, err := begin(o)
	if err != nil {
		return Report{}, err
	}
	if err := s.checkPlace(); err != nil {
		return Report{}, err
	}
	if err := s.placeAll(); err != nil {
		return s.Report, err
	}
	if !o.NoModifyPath {
		s.addLines()
	}
	return s.Report, nil
}

// Uninstall removes swop's line from the start-up files, which are then byte for byte as before, and removes from the prefix the programs,
// and a Codex that install.sh got from npm. Other files stay.
func Uninstall(o Options) (Report, error) {
	s, err := begin(o)
	if err != nil {
		return Report{}, err
	}
	s.removeLines()
	if isOurs(s.Prefix) {
		err = s.removeAll()
	}
	return s.Report, err
}

// begin returns a session. The error wraps [ErrUsage] where the options are refused.
func begin(o Options) (*session, error) {
	if o.Prefix == "" {
		o.Prefix = DefaultPrefix(o.Home, o.Env)
	}
	if !filepath.IsAbs(o.Prefix) || strings.ContainsAny(o.Prefix, string(filepath.ListSeparator)+"\n\r\x00") {
		return nil, say.WithHint(usage("the prefix %q is not an absolute path that PATH can hold", o.Prefix), "./install.sh --prefix DIR")
	}
	return &session{Options: o, bin: filepath.Join(o.Prefix, "bin")}, nil
}

// DefaultPrefix returns $XDG_DATA_HOME/swop, or the system's own place where the variable is unset or relative.
func DefaultPrefix(home string, env config.Env) string {
	if data := env.Value("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "swop")
	}
	return filepath.Join(append([]string{home}, dataDirs...)...)
}

// Others returns the path of codex in each installation of swop, on PATH or in the usual place, except for the one whose codex is self.
func Others(home string, env config.Env, self string) (others []string) {
	for _, dir := range append(filepath.SplitList(env.Value("PATH")), filepath.Join(DefaultPrefix(home, env), "bin")) {
		codex := filepath.Join(dir, "codex"+disk.Exe)
		real, err := filepath.EvalSymlinks(codex)
		if err != nil || !filepath.IsAbs(dir) || !exists(filepath.Join(filepath.Dir(real), "codex-swop"+disk.Exe)) {
			continue
		}
		same := func(other string) bool { return disk.SameFile(codex, other) }
		if !slices.ContainsFunc(append(others, self), same) {
			others = append(others, codex)
		}
	}
	return others
}

// Removes returns the command that removes the installation with the program codex, "" for one that a package or a build made.
func Removes(codex string) string {
	if PrefixOf(codex) == "" {
		return ""
	}
	return say.ShellQuote(codex) + " swop uninstall"
}

// PrefixOf returns the prefix that the program at executable is installed in, "" if it is not installed.
func PrefixOf(executable string) string {
	bin := filepath.Dir(executable)
	if prefix := filepath.Dir(bin); filepath.Base(bin) == "bin" && isOurs(prefix) {
		return prefix
	}
	return ""
}

// isOurs reports whether the prefix is an installation's, also an interrupted one. Other tools have a file env, too, as rustup.
func isOurs(prefix string) bool {
	env := filepath.Join(prefix, posixEnv)
	text, _ := os.ReadFile(env)
	return strings.Contains(string(text), "codex swop install wrote it") || exists(staged(env))
}

// checkPlace refuses a prefix that is neither empty nor swop's: files there are overwritten and removed by name.
func (s *session) checkPlace() error {
	entries, err := os.ReadDir(s.Prefix)
	if len(entries) > 0 && !isOurs(s.Prefix) {
		return say.WithHint(disk.Unsafe("%s already exists and is not swop's", s.Prefix), "choose another directory: ./install.sh --prefix DIR")
	}
	if err = disk.Ignore(err, os.ErrNotExist); err != nil {
		return say.WithHint(err, "./install.sh --prefix DIR")
	}
	return nil
}

// programNames returns the programs in the order of placing: the shim last, so that it is never there without its sibling.
func programNames() []string { return []string{"codex-swop" + disk.Exe, "codex" + disk.Exe} }

// placeAll writes the files that differ: first the one that marks the prefix as swop's.
func (s *session) placeAll() error {
	var programs [][]byte
	for _, name := range programNames() {
		program, err := os.ReadFile(filepath.Join(s.From, name))
		if err != nil {
			return usage("swop's programs are missing: %v", err)
		}
		programs = append(programs, program)
	}
	if err := os.MkdirAll(s.Prefix, 0o755); err != nil {
		return say.WithHint(err, "./install.sh --prefix DIR")
	}
	for _, name := range envNames() {
		if err := s.place(filepath.Join(s.Prefix, name), []byte(s.envText(name)), 0o644); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.bin, 0o755); err != nil {
		return err
	}
	for i, name := range programNames() {
		if err := s.place(filepath.Join(s.bin, name), programs[i], 0o755); err != nil {
			return err
		}
	}
	return nil
}

// removeAll removes swop's files from the prefix: last the one that marks it as swop's.
func (s *session) removeAll() (err error) {
	for _, name := range slices.Backward(programNames()) {
		err = errors.Join(err, s.remove(filepath.Join(s.bin, name)))
	}
	_ = syscall.Rmdir(s.bin) // other files may be in it
	err = errors.Join(err, s.removeCodex())
	for _, name := range slices.Backward(envNames()) {
		if err == nil {
			err = s.remove(filepath.Join(s.Prefix, name))
		}
	}
	_ = syscall.Rmdir(s.Prefix) // other files may be in it
	return err
}

// removeCodex removes the codex that install.sh --with-codex let npm install, and the directories that are empty then.
func (s *session) removeCodex() error {
	const codex = "npm/lib/node_modules/@openai/codex"
	root, err := os.OpenRoot(s.Prefix)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Lstat(codex); err != nil { // as behind a link of the user's
		return nil
	}
	if err := errors.Join(root.RemoveAll("npm/bin/codex"), root.RemoveAll(codex)); err != nil {
		return err
	}
	for _, dir := range []string{"npm/bin", "npm/lib/node_modules/@openai", "npm/lib/node_modules", "npm/lib", "npm"} {
		_ = root.Remove(dir) // other files may be in it
	}
	s.removed(filepath.Join(s.Prefix, codex))
	return nil
}

// ErrUsage is wrapped by errors about an option that cannot be used. Nothing was changed then.
var ErrUsage = errors.New("bad argument")

func usage(format string, args ...any) error {
	return say.Refuse(ErrUsage, fmt.Sprintf(format, args...))
}
