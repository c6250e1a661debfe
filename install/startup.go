package install

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
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
	path   string
	env    string // the file in the prefix that swop's line reads there
	shells string // a missing file is made for the users of these shells
}

// envFiles are the files that put the programs on PATH, in the syntaxes of the shells.
//
//go:embed env
var envFiles embed.FS

// The files in the prefix that start-up files read. The first one marks an installation.
const (
	posixEnv = "env"
	fishEnv  = "env.fish"
	powerEnv = "env.ps1"
)

func envNames() []string { return []string{posixEnv, fishEnv, powerEnv} }

// envText returns the text of the file with this name.
func (s *session) envText(name string) string {
	text, _ := envFiles.ReadFile("env/" + name) // embedded, for each of envNames
	return strings.ReplaceAll(string(text), "@BIN@", quoted(name, s.bin))
}

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

// pathIn returns the path of the file in the prefix that f reads, quoted for f.
func (s *session) pathIn(f startup) string { return quoted(f.env, filepath.Join(s.Prefix, f.env)) }

// line returns swop's line for the file, without its end. It does nothing where the installation is gone.
func (s *session) line(f startup) string {
	path := s.pathIn(f)
	switch f.env {
	case fishEnv:
		return "test -r " + path + "; and source " + path
	case powerEnv:
		return "if (Test-Path -LiteralPath " + path + ") { . " + path + " }"
	}
	return "[ ! -r " + path + " ] || . " + path
}

// LineFor returns the line that makes a running shell, a path or a name, run the codex of the installation.
func LineFor(shell, prefix string) string {
	env := usualEnv
	if filepath.Base(shell) == "fish" {
		env = fishEnv
	}
	return ". " + quoted(env, filepath.Join(prefix, env))
}

// The ends of swop's line. They tell how the file was before, so that it can be restored byte for byte.
const (
	ours      = " # swop"
	noNewline = " # swop; before it, the file did not end in a newline"
	noFile    = " # swop; before it, there was no file"
)

// withoutLine returns text as it was before the line was added, and the end of that line, "" if it is not there.
func withoutLine(text, line string) (rest, end string) {
	for _, end := range []string{ours, noNewline, noFile} {
		before, after, found := strings.Cut("\n"+text, "\n"+line+end+"\n")
		if !found {
			continue
		}
		if after != "" || end != noNewline {
			before += "\n"
		}
		return strings.TrimPrefix(before+after, "\n"), end
	}
	return text, ""
}

// withLine returns text with the line at its end, after the lines of other tools. made says that swop made the file.
func withLine(text, line string, made bool) string {
	end := ours
	if text != "" && !strings.HasSuffix(text, "\n") {
		text, end = text+"\n", noNewline
	}
	if made {
		end = noFile
	}
	return text + line + end + "\n"
}

// contents are a start-up file as it was read.
type contents struct {
	target string // the file itself, all links resolved
	mode   fs.FileMode
	text   string
	exists bool
}

// read reads a start-up file, through links. A missing file is no error, but a link to one is.
func read(path string) (contents, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return contents{}, errors.New("is a link to a missing file")
		}
		return contents{target: path, mode: 0o644}, nil
	}
	info, err2 := os.Stat(path)
	if err = errors.Join(err, err2); err != nil {
		return contents{}, err
	}
	if !info.Mode().IsRegular() {
		return contents{}, errors.New("is not a regular file")
	}
	data, err := os.ReadFile(target)
	if strings.Contains(string(data), "\x00") {
		return contents{}, errors.New("is UTF-16, or no text") // as Windows PowerShell writes it
	}
	return contents{target, info.Mode().Perm(), string(data), true}, err
}

// write gives the file another text. Its mode stays, and so does a link to it.
func (c contents) write(data string) error {
	if c.mode&0o200 == 0 {
		return errors.New("is read-only")
	}
	return replace(c.target, []byte(data), c.mode)
}

var errEdited = errors.New("has a line of swop that was edited; it was left as it is")

// installed returns a start-up file, and its text with swop's line at its end: "" for a missing file that is not to be made.
func (s *session) installed(f startup) (contents, string, error) {
	t, err := read(f.path)
	made := slices.Contains(strings.Fields(f.shells), filepath.Base(s.Env.Value("SHELL")))
	if err != nil || !t.exists && !made {
		return t, "", err
	}
	rest, end := withoutLine(t.text, s.line(f))
	if strings.Contains(rest, s.pathIn(f)) {
		return t, "", errEdited
	}
	return t, withLine(rest, s.line(f), !t.exists || end == noFile), nil
}

// addLines adds swop's line to each start-up file. A file that cannot be changed is a warning with the line to add.
func (s *session) addLines() {
	for _, f := range s.startups() {
		t, want, err := s.installed(f)
		if err == nil && want != t.text {
			if err = errors.Join(os.MkdirAll(filepath.Dir(f.path), 0o755), t.write(want)); err == nil {
				s.did(f.path, t.exists)
			}
		}
		if err != nil {
			s.warn(f, err, "add this line to it: "+s.line(f))
		}
		s.Started = s.Started || err == nil && want != ""
	}
	s.changeUserPath(firstOnPath)
}

// warn adds a warning about a start-up file. The path is not said twice.
func (s *session) warn(f startup, err error, hint string) {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	s.Warnings = append(s.Warnings, say.WithHint(fmt.Errorf("%s: %w", f.path, err), hint))
}

// removeLines removes swop's line from every start-up file.
func (s *session) removeLines() {
	for _, f := range s.startups() {
		if err := s.removeFrom(f); err != nil {
			s.warn(f, err, "remove the line with "+filepath.Join(s.Prefix, f.env)+" from it")
		}
	}
	s.changeUserPath(withoutEntry)
}

func (s *session) removeFrom(f startup) error {
	t, err := read(f.path)
	if _, unread := errors.AsType[syscall.Errno](err); unread {
		return err
	} else if err != nil {
		return nil //nolint:nilerr // no install changed such a file
	}
	if err := disk.RemoveIfExists(staged(t.target)); err != nil && t.exists {
		return err
	}
	rest, end := withoutLine(t.text, s.line(f))
	switch link, err := os.Lstat(f.path); {
	case end == noFile && rest == "" && err == nil && link.Mode().IsRegular():
		if err := s.remove(f.path); err != nil {
			return err
		}
		if f.env != posixEnv {
			_ = syscall.Rmdir(filepath.Dir(f.path)) // other files may be in it
		}
	case end != "":
		if err := t.write(rest); err != nil {
			return err
		}
		s.did(f.path, true)
	}
	if strings.Contains(rest, s.pathIn(f)) {
		return errEdited
	}
	return nil
}

// Complete reports whether an install would change no start-up file.
func Complete(o Options) bool {
	s, err := begin(o)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(s.startups(), func(f startup) bool {
		t, want, err := s.installed(f)
		return err == nil && want != t.text // of a file that cannot be changed, Install only warns
	})
}
