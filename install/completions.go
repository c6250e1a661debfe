package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"swop/manager/disk"
)

// The files in <prefix>/completion. zsh finds the one whose name begins with an underscore by itself; the other leads it there.
const (
	bashCompletion = "codex.bash"
	zshCompletion  = "_swop"
	zshStart       = "start.zsh"
	fishCompletion = "codex.fish"
)

var completionNames = []string{bashCompletion, zshCompletion, zshStart, fishCompletion}

// completionMark is in every file of ours.
const completionMark = "printed by: codex swop completion"

func (s *session) completionDir() string { return filepath.Join(s.prefix, "completion") }

// placeCompletions writes what completes codex in each shell. That it cannot is a warning: codex runs without.
func (s *session) placeCompletions() {
	texts := s.completions()
	for _, name := range completionNames {
		path := filepath.Join(s.completionDir(), name)
		if texts[name] == "" {
			continue
		}
		if err := s.placeCompletion(path, texts[name]); err != nil {
			s.report.warn(fmt.Sprintf("%s: %v; codex is not completed", path, plain(err)))
		}
	}
}

// completions are the texts by file.
func (s *session) completions() map[string]string {
	texts := map[string]string{}
	for shell, name := range map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion} {
		if text := s.o.Completions[shell]; text != "" {
			texts[name] = text
		}
	}
	if texts[zshCompletion] != "" {
		texts[zshStart] = fmt.Sprintf(zshStartLines, posix.quote(s.completionDir()))
	}
	return texts
}

// zshStartLines let compinit find the completion where it comes later, as in .zshenv, and tell it where it has been.
const zshStartLines = `# Where the completion of codex is, printed by: codex swop completion
case " $fpath " in
*" "%[1]s" "*) ;;
*) fpath=(%[1]s $fpath) ;;
esac
if (( $+functions[compdef] )); then
    autoload -Uz _swop
    compdef _swop codex
fi
`

func (s *session) placeCompletion(path, text string) error {
	f, err := readText(path)
	if err != nil || string(f.text) == text {
		return err
	}
	if f.info != nil && !bytes.Contains(f.text, []byte(completionMark)) {
		return errors.New("is there already and is not swop's")
	}
	dirs := missing(filepath.Dir(path))
	if err := errors.Join(s.note("", dirs...), makeDirs(dirs)); err != nil {
		return err
	}
	if err := f.replace([]byte(text)); err != nil {
		return err
	}
	s.report.did(path, newOrChanged(f.info != nil))
	return nil
}

// completionLines are the lines of a start-up file that load the completion in an interactive shell: a file that is not there any more
// does no harm.
func (s *session) completionLines(x syntax) string {
	if len(s.o.Completions) == 0 {
		return ""
	}
	dir := s.completionDir()
	if x == fish {
		return fmt.Sprintf(fishCompletionLines, fish.quote(dir))
	}
	return fmt.Sprintf(posixCompletionLines, posix.quote(filepath.Join(dir, bashCompletion)), posix.quote(filepath.Join(dir, zshStart)))
}

const (
	posixCompletionLines = `case $-${BASH_VERSION:+:bash}${ZSH_VERSION:+:zsh} in
*i*:bash) [ ! -r %[1]s ] || . %[1]s ;;
*i*:zsh) [ ! -r %[2]s ] || . %[2]s ;;
esac
`
	fishCompletionLines = `if status is-interactive; and not contains -- %[1]s $fish_complete_path
    set -gp fish_complete_path %[1]s
end
`
)

// removeCompletions takes away what placeCompletions made, and nothing else.
func (s *session) removeCompletions() error {
	var err error
	for _, name := range completionNames {
		path := filepath.Join(s.completionDir(), name)
		f, readErr := readText(path)
		if _, ok := errors.AsType[*fs.PathError](readErr); ok {
			err = errors.Join(err, readErr) // it may be ours
			continue
		}
		if readErr != nil || f.link || !bytes.Contains(f.text, []byte(completionMark)) {
			continue // none of ours
		}
		err = errors.Join(err, disk.RemoveIfExists(f.beside()), s.removeFile(path))
	}
	if err == nil {
		removeEmpty(s.completionDir())
	}
	return err
}
