package disk

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"time"

	"swop/internal/disk/sys"
)

// Touch sets the time at which an entry was written. What does not let us keeps its time.
func (d Dir) Touch(name string, at time.Time) { _ = d.setTime(name, at) }

// EqualFiles reports whether two files have the same contents, ACLs and other extended attributes; one that may not be read equals none.
func EqualFiles(a Dir, aName string, b Dir, bName string) (bool, error) {
	f, err := a.open(aName)
	if err != nil {
		return false, unreadable(err)
	}
	defer f.Close()
	g, err := b.open(bName)
	if err != nil {
		return false, unreadable(err)
	}
	defer g.Close()
	x, y := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(f, x)
		m, err2 := io.ReadFull(g, y)
		if n != m || !bytes.Equal(x[:n], y[:m]) {
			return false, nil
		}
		if ended(err) || ended(err2) {
			return ended(err) && ended(err2) && sameAttributes(f, g), nil
		}
		if err := errors.Join(err, err2); err != nil {
			return false, err
		}
	}
}

// unreadable lets a version that may not be read be judged without its content, and looks again at one that became a link meanwhile.
func unreadable(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil
	case errors.Is(err, sys.ELOOP):
		return ErrChanged
	}
	return Changed(err)
}

func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
