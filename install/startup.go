package install

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"swop/internal/disk"
	"swop/internal/say"
)

// A startup is a file that a shell reads when it starts.
type startup struct {
	shells string // whose file it is
	path   string
	env    string // the file in the prefix that swop's line reads there
	made   bool   // made if it is missing and the user's own shell is one of these
}

// envFiles are the files that put the programs on PATH, in the syntaxes of the shells.
//
//go:embed env
var envFiles embed.FS

// The files in the prefix that start-up files read.
const (
	posixEnv = "env"
	fishEnv  = "env.fish"
	powerEnv = "env.ps1"
)

// quoted returns a path as the shells that read the file env write it.
func quoted(env, path string) string {
	switch env {
	case fishEnv:
		return say.FishQuote(path)
	case powerEnv:
		return say.PowerQuote(path)
	}
	return say.SingleQuote(path)
}

// files returns the texts of the files in the prefix, by name.
func (s *session) files() map[string]string {
	texts := map[string]string{}
	for _, name := range []string{posixEnv, fishEnv, powerEnv} {
		text, _ := envFiles.ReadFile("env/" + name) // it is there
		texts[name] = strings.NewReplacer("@BIN@", quoted(name, s.bin), "@DIR@", quoted(name, s.prefix)).Replace(string(text))
	}
	for shell, end := range map[string]string{"bash": "bash", "zsh": "zsh", "fish": "fish", "powershell": "ps1"} {
		texts["completion."+end] = s.o.Completions[shell]
	}
	return texts
}

// fileNames are the names of the files in the prefix.
func (s *session) fileNames() []string { return slices.Sorted(maps.Keys(s.files())) }

// placeFiles writes the files in the prefix that differ.
func (s *session) placeFiles() error {
	texts := s.files()
	for _, name := range s.fileNames() {
		path := filepath.Join(s.prefix, name)
		old, err := os.ReadFile(path)
		if string(old) == texts[name] && err == nil {
			continue
		}
		mode := func(f *os.File) error { return f.Chmod(0o644) }
		if e := replaceFile(path, []byte(texts[name]), mode, func() error { return nil }); e != nil {
			return e
		}
		s.report.did(path, newOrChanged(err == nil))
	}
	return nil
}

// line returns swop's line for the file, without its end. It does nothing where the installation is gone.
func (s *session) line(f startup) string {
	path := quoted(f.env, filepath.Join(s.prefix, f.env))
	switch f.env {
	case fishEnv:
		return "test -r " + path + "; and source " + path
	case powerEnv:
		return "if (Test-Path -LiteralPath " + path + ") { . " + path + " }"
	}
	return "[ ! -r " + path + " ] || . " + path
}

// isOf reports whether the file is one of the shell, a path or a name.
func (f startup) isOf(shell string) bool {
	return slices.Contains(strings.Fields(f.shells), filepath.Base(shell))
}

// addLines adds swop's line to each start-up file. A file that cannot be changed is a warning with the line to add.
func (s *session) addLines() {
	known := s.shell == ""
	for _, f := range s.startups() {
		known = known || f.isOf(s.shell)
		text, want, err := s.withLine(f)
		if err == nil && !bytes.Equal(text.text, want) {
			err = errors.Join(os.MkdirAll(filepath.Dir(f.path), 0o755), text.replace(want))
			if err == nil {
				s.report.did(f.path, newOrChanged(text.info != nil))
			}
		}
		switch {
		case errors.Is(err, errEdited):
			s.report.warn(fmt.Sprintf("%s: %v, and stays as it is", f.path, err))
		case err != nil:
			s.report.warn(fmt.Sprintf("%s: %v; add this line to it yourself", f.path, withoutPath(err)), s.line(f))
		}
		s.onPath = s.onPath || err == nil && want != nil
	}
	s.onPath = s.addToUserPath() || s.onPath
	if !known {
		s.report.warn(fmt.Sprintf("unknown shell %q; its start-up file needs its equivalent of this line", s.shell), LineFor(s.shell, s.bin))
	}
}

var errEdited = errors.New("has a line of swop that was edited")

// withLine returns a start-up file, and its text with swop's line at its end: nil where the file is missing and is not made.
func (s *session) withLine(f startup) (textFile, []byte, error) {
	text, err := readText(f.path)
	if err != nil || text.info == nil && !(f.made && f.isOf(s.shell)) {
		return text, nil, err
	}
	rest, before := withoutLine(text.text, s.line(f))
	if s.edited(f, rest) {
		return text, nil, errEdited
	}
	return text, withLine(rest, s.line(f), before, text.info != nil), nil
}

// edited reports whether a text has a line about swop's file that is not swop's.
func (s *session) edited(f startup, text []byte) bool {
	return bytes.Contains(text, []byte(quoted(f.env, filepath.Join(s.prefix, f.env))))
}

// removeLines removes swop's line from every start-up file, whichever shells there are now.
func (s *session) removeLines() {
	for _, f := range s.startups() {
		if err := s.removeFrom(f); err != nil {
			env := filepath.Join(s.prefix, f.env)
			s.report.warn(fmt.Sprintf("%s: %v", f.path, withoutPath(err)), "remove the line with "+env+" from "+f.path)
		}
	}
	s.removeFromUserPath()
}

func (s *session) removeFrom(f startup) error {
	text, err := readText(f.path)
	if err != nil {
		return disk.Ignore(err, errDangling, errNoFile, errUTF16, fs.ErrPermission, syscall.ELOOP) // no install changed it
	}
	if err := disk.RemoveIfExists(staged(text.target)); err != nil && text.info != nil {
		return err
	}
	rest, before := withoutLine(text.text, s.line(f))
	switch {
	case before == noFile && len(rest) == 0 && text.target == filepath.Clean(f.path):
		if err = text.checkUnchanged(); err == nil {
			err = s.removeFile(f.path)
		}
		if f.env != posixEnv {
			disk.RemoveEmpty(filepath.Dir(f.path))
		}
	case before != "":
		if err = text.replace(rest); err == nil {
			s.report.did(f.path, Changed)
		}
	}
	if err == nil && s.edited(f, rest) {
		return errEdited
	}
	return err
}

// State is the state of an installation in the user's shells.
type State struct {
	Shells   []Shell
	Outdated []string // the start-up files that lack swop's line, or in which other lines follow it; install repairs them
}

// A Shell is a bash, zsh or fish that the user has: the one that SHELL names, or one with start-up files here.
type Shell struct {
	Name string
	Path string // the program
	Own  bool   // the one that SHELL names
}

// Examine returns the state of the installation. It writes nothing.
func Examine(o Options) (State, error) {
	s, err := begin(o)
	if err != nil {
		return State{}, err
	}
	state := State{Shells: s.shells()}
	for _, f := range s.startups() {
		// Where it fails, Install warns of it and leaves the file as it is.
		if text, want, err := s.withLine(f); err == nil && want != nil && !bytes.Equal(text.text, want) {
			state.Outdated = append(state.Outdated, f.path)
		}
	}
	return state, nil
}
