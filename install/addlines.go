//go:build unix

package install

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// addLines adds swop's block to every start-up file of the user's shells. A file that cannot be changed is a warning with the line to add.
func (s *session) addLines() {
	files, known := s.where().startups(s.o.Shell)
	for _, f := range files {
		if err := s.addTo(f); err == nil {
			s.onPath = true
		} else {
			s.report.warn(fmt.Sprintf("%s: %v; add this line to it yourself", f.path, withoutPath(err)), f.syntax.line(s.bin, s.last()))
		}
	}
	if !known || len(files) == 0 {
		s.report.warn(fmt.Sprintf("unknown shell %q; its start-up file needs its equivalent of this line", s.o.Shell), posix.line(s.bin, s.last()))
	}
}

// where returns what decides which start-up files there are. It may have to ask zsh, so it does so once.
func (s *session) where() place {
	if s.place == nil {
		dir := s.o.Env.Value("XDG_CONFIG_HOME")
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(s.o.Home, ".config")
		}
		s.place = &place{s.o.Home, zdotdir(s.o.Home, s.o.Env), dir, runtime.GOOS == "darwin", exists}
	}
	return *s.place
}

// addTo puts the block at the end of one file, and removes older blocks.
func (s *session) addTo(st startup) error {
	f, text, err := s.withLines(st)
	if err != nil {
		return err
	}
	if bytes.Equal(text, f.text) {
		return s.note(st.path)
	}
	return s.write(f, text, st.path)
}

// write gives the file a new text and reports it. The directories that this makes are recorded before, and so is startup, "" for none.
func (s *session) write(f textFile, text []byte, startup string) error {
	dir := filepath.Dir(f.path)
	if err := errors.Join(s.note(startup, missingDirs(dir)...), os.MkdirAll(dir, 0o755)); err != nil {
		return err
	}
	if err := f.replace(text); err != nil {
		return err
	}
	s.report.did(f.path, newOrChanged(f.info != nil))
	return nil
}

// withLines returns a start-up file, and its text with swop's block at its end.
func (s *session) withLines(st startup) (textFile, []byte, error) {
	f, err := readText(st.path)
	if err != nil {
		return f, nil, err
	}
	old, err := strip(f.text, anyBlock)
	if err != nil {
		return f, nil, err
	}
	old.noFile = old.noFile || f.info == nil
	lines := st.syntax.lines(s.bin, s.last()) + s.completionLines(st.syntax)
	if s.record.EveryPrompt {
		lines += st.promptLines(s.bin)
	}
	return f, withBlock(old, lines), nil
}

// last is the directory that comes last on PATH: that of the real Codex if npm installed one below the prefix, else "".
func (s *session) last() string {
	if exists(s.npmCodex()) {
		return filepath.Dir(s.npmCodex())
	}
	return ""
}
