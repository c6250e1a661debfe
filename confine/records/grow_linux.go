package records

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"

	"swop/disk"
)

// maxLine bounds what is read at once. An image is in a line of its own.
const maxLine = 64 << 20

// lines are those of a file, one after the other.
type lines struct {
	in   *bufio.Reader
	left int64 // bytes that were not read yet
}

func newLines(f io.ReaderAt, size int64) *lines {
	return &lines{bufio.NewReaderSize(io.NewSectionReader(f, 0, size), 64<<10), size}
}

// next returns the next line with its end, which the last one may lack; nothing at the end of the file.
func (l *lines) next() (text []byte, err error) {
	for len(text) <= maxLine {
		part, err := l.in.ReadSlice('\n')
		text = append(text, part...)
		l.left -= int64(len(part))
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return text, err
	}
	return nil, refusal("a line is too long")
}

func isWhole(text []byte) bool { return bytes.HasSuffix(text, []byte("\n")) }

// growth is about a transcript that may have more than the shared one.
type growth struct {
	*pass
	lines, shared *lines // the first of lines was read:
	first, begin  []byte // as it is, and as it comes back
	atEnd         bool
}

// next returns the next line as it is, and as it comes back; nothing at the end.
func (g *growth) next() (text, back []byte, err error) {
	if g.first != nil {
		text, back, g.first = g.first, g.begin, nil
		return text, back, nil
	}
	if text, err = g.lines.next(); err != nil || !isWhole(text) {
		g.atEnd = true
		return nil, nil, err
	}
	return text, said(text), nil
}

// more returns the next line that comes back, nil for none.
func (g *growth) more() (back []byte, err error) {
	for back == nil && !g.atEnd && err == nil {
		_, back, err = g.next()
	}
	return back, err
}

// grow appends to out, in d, what the session's transcript, for the directory dir, has beyond it.
func (g *growth) grow(d disk.Dir, out *os.File, dir string) error {
	back, err := g.beyond()
	switch {
	case err != nil || back == nil:
		return err
	case !g.isInRoots(dir):
		return errElsewhere
	case g.lines.left+int64(len(back)) > g.bytes:
		return refusal("the session wrote too much")
	}
	tries := 20 // a list of sessions reads the beginnings of all
	if g.state == Running {
		tries = 1
	}
	if err := alone(out, d, tries); err != nil {
		return err
	}
	to := bufio.NewWriter(out)
	for back != nil && err == nil {
		g.bytes -= int64(len(back))
		_, _ = to.Write(back) // Flush returns the error
		back, err = g.more()
	}
	return errors.Join(err, to.Flush(), out.Sync())
}

// beyond passes over what the shared transcript has already: all of its lines, as they are or as they come back. It returns the first line beyond, or the rest of
// a line that the shared one has the beginning of; nil for none.
func (g *growth) beyond() ([]byte, error) {
	for {
		had, err := g.shared.next()
		if err != nil {
			return nil, err
		}
		if len(had) == 0 {
			return g.more()
		}
		if rest, err := g.find(had); rest != nil || err != nil || g.atEnd {
			return rest, err
		}
	}
}

// find passes over lines up to the shared one. Those that do not come back are not in that.
func (g *growth) find(shared []byte) (rest []byte, err error) {
	for passed := false; ; passed = true {
		text, back, err := g.next()
		torn := !isWhole(shared) && isWhole(text) && bytes.HasPrefix(text, shared)
		rest, begun := bytes.CutPrefix(back, shared)
		switch {
		case err != nil:
			return nil, err
		case bytes.Equal(text, shared), begun && len(rest) == 0:
			return nil, nil
		case begun && !isWhole(shared):
			return rest, nil
		case torn: // codex went on behind a torn line
			return []byte("\n"), nil
		case g.atEnd && !passed:
			return nil, nil
		case back != nil, g.atEnd:
			return nil, refusal("it does not continue the shared one")
		}
	}
}
