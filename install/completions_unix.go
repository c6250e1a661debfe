//go:build unix

package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"swop/disk"
)

// The files in <prefix>/completion. zsh loads the one whose name begins with an underscore by itself; the other one tells it where that is.
const (
	bashCompletion = "codex.bash"
	zshCompletion  = "_swop"
	zshStart       = "start.zsh"
	fishCompletion = "codex.fish"
)

func completionNames() []string {
	return []string{bashCompletion, zshCompletion, zshStart, fishCompletion}
}

// completionMark is in every completion file that swop writes.
const completionMark = "printed by: codex swop completion"

func (s *session) completionDir() string { return filepath.Join(s.prefix, "completion") }

// placeCompletions writes the completion files. One that cannot be written is a warning: codex runs without it.
func (s *session) placeCompletions() {
	texts := s.completions()
	for _, name := range completionNames() {
		path := filepath.Join(s.completionDir(), name)
		if texts[name] == "" {
			continue
		}
		if err := s.placeCompletion(path, texts[name]); err != nil {
			s.report.warn(fmt.Sprintf("%s: %v; the completion of codex was not installed", path, withoutPath(err)))
		}
	}
}

// completions returns the texts, by file.
func (s *session) completions() map[string]string {
	texts := map[string]string{}
	for shell, name := range map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion} {
		if text := s.o.Completions[shell]; text != "" {
			texts[name] = text
		}
	}
	if texts[zshCompletion] != "" {
		texts[zshStart] = posix.textFor("start", "zsh", s.completionDir())
	}
	return texts
}

func (s *session) placeCompletion(path, text string) error {
	f, err := readText(path)
	if err != nil || string(f.text) == text {
		return err
	}
	if f.info != nil && !bytes.Contains(f.text, []byte(completionMark)) {
		return errors.New("already exists and is not swop's")
	}
	return s.write(f, []byte(text), "")
}

// completionLines returns the lines of a start-up file that load the completion.
func (s *session) completionLines(x syntax) string {
	if len(s.o.Completions) == 0 {
		return ""
	}
	return x.text("complete", s.completionDir())
}

// removeCompletions removes what placeCompletions made, and nothing else.
func (s *session) removeCompletions() error {
	var err error
	for _, name := range completionNames() {
		path := filepath.Join(s.completionDir(), name)
		err = errors.Join(err, disk.RemoveIfExists(textFile{target: path}.tmp()))
		f, readErr := readText(path)
		if _, ok := errors.AsType[*fs.PathError](readErr); ok {
			err = errors.Join(err, readErr) // it may be ours
			continue
		}
		if readErr != nil || f.link || !bytes.Contains(f.text, []byte(completionMark)) {
			continue // not ours
		}
		err = errors.Join(err, s.removeFile(path))
	}
	if err == nil {
		disk.RemoveEmpty(s.completionDir())
	}
	return err
}
