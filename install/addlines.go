package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// addLines gives every start-up file of the user's shells swop's lines. A file that refuses them is a warning with the line to add.
func (s *session) addLines() {
	p := s.where()
	files, known := p.startups(s.o.Shell)
	for _, f := range files {
		if err := s.addTo(f); err == nil {
			s.lined = true
		} else {
			s.report.warn(fmt.Sprintf("%s: %v; it needs the line", f.path, plain(err)), f.syntax.line(s.bin, s.last()))
		}
	}
	if !known || len(files) == 0 {
		s.report.warn(fmt.Sprintf("swop does not know the shell %q; its start-up file needs, in its own words", s.o.Shell), posix.line(s.bin, s.last()))
	}
}

// where returns what decides on the start-up files. It may have to ask zsh, so it does so once.
func (s *session) where() place {
	if s.place == nil {
		p := s.look()
		s.place = &p
	}
	return *s.place
}

func (s *session) look() place {
	dir := s.o.Env.Value("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.o.Home, ".config")
	}
	return place{s.o.Home, zdotdir(s.o.Home, s.o.Env), dir, runtime.GOOS == "darwin", exists}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// addTo puts the block at the end of one file, and takes older ones out of it.
func (s *session) addTo(st startup) error {
	f, text, err := s.wanted(st)
	if err != nil {
		return err
	}
	if bytes.Equal(text, f.text) {
		return s.note(st.path)
	}
	dirs := missing(filepath.Dir(st.path))
	if err := errors.Join(s.note(st.path, dirs...), makeDirs(dirs)); err != nil {
		return err
	}
	if err := f.replace(text); err != nil {
		return err
	}
	s.report.did(st.path, newOrChanged(f.info != nil))
	return nil
}

// wanted returns a start-up file and the text that it is to have.
func (s *session) wanted(st startup) (textFile, []byte, error) {
	f, err := readText(st.path)
	if err != nil {
		return f, nil, err
	}
	old, err := strip(f.text, anyBlock)
	if err != nil {
		return f, nil, err
	}
	old.noFile = old.noFile || f.info == nil
	return f, withBlock(old, st.syntax.lines(s.bin, s.last())+s.completionLines(st.syntax)+s.promptLines(st)), nil
}

// promptLines are the lines by which an interactive shell looks before each prompt that bin is first, "" unless they were asked for.
func (s *session) promptLines(st startup) string {
	if !s.record.EveryPrompt {
		return ""
	}
	return st.promptLines(s.bin)
}

// last is the directory that comes last on PATH: that of the real Codex if npm put one below the prefix, else "".
func (s *session) last() string {
	if exists(s.fetched()) {
		return filepath.Dir(s.fetched())
	}
	return ""
}

// plain takes the path out of an error that is shown behind it.
func plain(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}
