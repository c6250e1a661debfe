//go:build unix

package install

import (
	"bytes"
	"errors"
)

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

// A block is swop's part of a file, with its first and last line.
type block struct{ start, end int }

// findBlock returns the first block of text at or after from. ok is false if there is no block; a block that does not end,
// or in which another starts, is an error.
func findBlock(text []byte, from int) (b block, ok bool, err error) {
	start := lineIndex(text, blockStart, from)
	if start < 0 {
		return block{}, false, nil
	}
	end := lineIndex(text, blockEnd, start)
	next := lineIndex(text, blockStart, start+1)
	if end < 0 || next >= 0 && next < end {
		return block{}, false, errHalfBlock
	}
	end += len(blockEnd)
	if end < len(text) {
		end++ // its newline
	}
	return block{start, end}, true, nil
}

// lineIndex returns where in text, at or after from, a line starts that is exactly line, or -1.
func lineIndex(text []byte, line string, from int) int {
	for from < len(text) {
		i := bytes.Index(text[from:], []byte(line))
		if i < 0 {
			return -1
		}
		i += from
		from = i + len(line)
		if (i == 0 || text[i-1] == '\n') && (from == len(text) || text[from] == '\n') {
			return i
		}
	}
	return -1
}

// stripped is a start-up file without swop's blocks.
type stripped struct {
	text   []byte
	found  bool // there was a block
	noFile bool // the file did not exist before
}

// strip returns text as it was before the blocks were added for which take returns true.
func strip(text []byte, take func(block []byte) bool) (stripped, error) {
	out := stripped{text: text}
	for from := 0; ; {
		b, ok, err := findBlock(out.text, from)
		if err != nil || !ok {
			return out, err
		}
		part := out.text[b.start:b.end]
		if !take(part) {
			from = b.end
			continue
		}
		out.found = true
		out.noFile = out.noFile || lineIndex(part, noFile, 0) >= 0
		from = b.start
		if from > 0 && b.end == len(out.text) && lineIndex(part, noNewline, 0) >= 0 {
			from--
		}
		out.text = append(out.text[:from:from], out.text[b.end:]...)
	}
}

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
