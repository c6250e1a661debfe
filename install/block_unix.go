//go:build unix

package install

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"swop/disk"
)

// addLines adds swop's block to every start-up file of the user's shells. A file that cannot be changed is a warning with the line to add.
func (s *session) addLines() {
	files, known := s.where().startups(s.shell)
	for _, f := range files {
		if err := s.addTo(f); err == nil {
			s.onPath = true
		} else {
			s.report.warn(fmt.Sprintf("%s: %v; add this line to it yourself", f.path, withoutPath(err)), f.syntax.line(s.bin, s.last()))
		}
	}
	if !known || len(files) == 0 {
		s.report.warn(fmt.Sprintf("unknown shell %q; its start-up file needs its equivalent of this line", s.shell), posix.line(s.bin, s.last()))
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
	if s.record.Prompt {
		lines += st.segmentLines(s.bin)
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

// removeLines removes swop's block from every file that install may have changed, whichever shells there are now.
func (s *session) removeLines() {
	files := append(s.where().everywhere(), s.record.Files...)
	slices.Sort(files)
	for _, path := range slices.Compact(files) {
		if err := s.removeFrom(path); err != nil {
			s.report.warn(fmt.Sprintf("%s: %v", path, withoutPath(err)), "remove the lines from "+blockStart+" to "+blockEnd+" from "+path)
		}
	}
}

func (s *session) removeFrom(path string) error {
	f, err := readText(path)
	if err == nil {
		err = disk.RemoveIfExists(f.tmp())
	}
	if f.info == nil || err != nil {
		if slices.Contains(s.record.Files, path) {
			return err
		}
		return nil // no install changed it, so it does not matter that it cannot be read
	}
	old, err := strip(f.text, blockOf(s.bin))
	if err != nil || !old.found {
		return err
	}
	if old.noFile && len(old.text) == 0 && !f.link {
		if err := f.remove(); err != nil {
			return err
		}
		s.report.did(path, Removed)
		return nil
	}
	if err := f.replace(old.text); err != nil {
		return err
	}
	s.report.did(path, Changed)
	return nil
}

// The lines around swop's own, and those that say what the file was like before, so that it can be restored byte for byte, even on another
// machine that shares the file.
const (
	blockStart = "# >>> swop >>>"
	blockEnd   = "# <<< swop <<<"
	noNewline  = "# before: no newline at the end"
	noFile     = "# before: no file"
	purpose    = "# put swop's codex first on PATH; `codex swop uninstall` removes this block"
)

var errHalfBlock = errors.New("has a line " + blockStart + " without its " + blockEnd)

// stripped is a start-up file without swop's blocks.
type stripped struct {
	text   []byte
	found  bool // there was a block
	noFile bool // the file did not exist before
}

// strip returns text as it was before the blocks were added for which take returns true. A block that does not end, or in which another starts, is an
// error.
func strip(text []byte, take func(block []byte) bool) (out stripped, err error) {
	var block []byte // from its first line to the present one
	rest := text
	for line := range bytes.Lines(text) {
		rest = rest[len(line):]
		is := strings.TrimSuffix(string(line), "\n")
		if is == blockStart && block != nil {
			return out, errHalfBlock
		}
		if block == nil && is != blockStart {
			out.text = append(out.text, line...)
			continue
		}
		block = append(block, line...)
		if is != blockEnd {
			continue
		}
		if take(block) {
			out.found = true
			out.noFile = out.noFile || hasLine(block, noFile)
			if len(rest) == 0 && hasLine(block, noNewline) {
				out.text = bytes.TrimSuffix(out.text, []byte("\n"))
			}
		} else {
			out.text = append(out.text, block...)
		}
		block = nil
	}
	if block != nil {
		return out, errHalfBlock
	}
	return out, nil
}

func hasLine(block []byte, line string) bool { return bytes.Contains(block, []byte("\n"+line+"\n")) }

// withBlock returns the file with one block at its end, so that it runs after the lines of other tools.
func withBlock(s stripped, lines string) []byte {
	var b bytes.Buffer
	b.Write(s.text)
	open := len(s.text) > 0 && s.text[len(s.text)-1] != '\n'
	if open {
		b.WriteByte('\n')
	}
	b.WriteString(blockStart + "\n" + purpose + "\n")
	if open {
		b.WriteString(noNewline + "\n")
	}
	if s.noFile {
		b.WriteString(noFile + "\n")
	}
	b.WriteString(lines + blockEnd + "\n")
	return b.Bytes()
}

func anyBlock([]byte) bool { return true }

// blockOf returns a function that reports whether a block puts bin on PATH; those of another install do not.
func blockOf(bin string) func([]byte) bool {
	return func(b []byte) bool {
		return bytes.Contains(b, []byte(posix.quote(bin))) || bytes.Contains(b, []byte(fish.quote(bin)))
	}
}
