package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"time"

	"swop/disk/sys"
)

// CopyWhole copies an entry to a free name, complete or not at all.
func CopyWhole(from Dir, name string, i Stat, to Dir, toName string) error {
	tmp := CopyName()
	if err := CopyEntry(from, name, i, to, tmp); err != nil {
		return Undone(err, RemoveAll(to, tmp))
	}
	if err := to.Move(tmp, to, toName); err != nil {
		return Undone(to.Err("rename", toName, err), RemoveAll(to, tmp))
	}
	return to.Sync() // before the original goes, on another disk, whose own order of writing is another
}

// MoveByCopy moves an entry across file systems.
func MoveByCopy(from Dir, entry string, to Dir, name string) error {
	i, err := from.Stat(entry)
	if err != nil {
		return err
	}
	if err := CopyWhole(from, entry, i, to, name); err != nil {
		return err
	}
	return RemoveAll(from, entry)
}

// DropCopies removes the copies in d that a killed run did not finish.
func DropCopies(d Dir) error {
	entries, err := d.Entries()
	failed := []error{err}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if IsCopy(name) {
			failed = append(failed, RemoveAll(d, name))
		}
	}
	return errors.Join(failed...)
}

// CopyEntry copies a file, link or directory tree with modes, times, ACLs and other extended attributes, and syncs the copy. What cannot be
// copied so, as a socket in a directory, is an error that says what it is. One that is gone is none.
func CopyEntry(from Dir, name string, i Stat, to Dir, toName string) error {
	switch {
	case !i.Exists():
		return nil
	case i.IsLink():
		target, err := from.Readlink(name)
		if err != nil {
			return err
		}
		if target == "" {
			return ErrChanged
		}
		if err := to.symlink(target, toName); err != nil {
			return to.Err("symlink", toName, err)
		}
		return to.setTime(toName, i.written())
	case i.IsRegular():
		return CopyFile(from, name, i, to, toName)
	case i.IsDir():
		return copyDir(from, name, i, to, toName)
	}
	return notCopied(name, errSpecial)
}

var errSpecial = errors.New("it is a socket, FIFO or device")

// ErrNotCopied is the kind of the errors about what a copy would not have.
var ErrNotCopied = errors.New("cannot be copied to another file system")

// notCopied says why a copy would not be like the entry called name.
func notCopied(name string, why error) error { return fmt.Errorf("%q %w: %v", name, ErrNotCopied, why) }

// WriteNew writes a file, owner-only, that must not be there yet.
func (d Dir) WriteNew(name string, text []byte) error {
	f, err := d.create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return d.Err("write", name, errors.Join(err, f.Close()))
}

// CopyFile copies a regular file as [CopyEntry] does.
func CopyFile(from Dir, name string, i Stat, to Dir, toName string) error {
	in, err := from.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := to.create(toName)
	if err != nil {
		return err
	}
	err = copyData(out, in)
	if err == nil {
		err = copyAttributes(name, int(in.Fd()), int(out.Fd())) // last: writing removes some
	}
	if err == nil {
		err = out.Sync()
	}
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return to.setTime(toName, i.written())
}

func copyDir(from Dir, name string, i Stat, to Dir, toName string) error {
	if err := to.MkdirNew(toName); err != nil {
		return to.Err("mkdir", toName, err)
	}
	in, err := from.OpenDir(name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := to.OpenDir(toName)
	if err != nil {
		return err
	}
	defer out.Close()
	entries, err := in.Entries()
	if err != nil {
		return err
	}
	for child, entry := range entries { // before much is copied in vain
		if entry.Mode&fs.ModeIrregular != 0 {
			return notCopied(child, errSpecial)
		}
	}
	for _, child := range slices.Sorted(maps.Keys(entries)) {
		c, err := in.Stat(child)
		if err != nil {
			return err
		}
		if err := CopyEntry(in, child, c, out, child); err != nil {
			return err
		}
	}
	if err := out.takeAttributes(name, in); err != nil {
		return err
	}
	return errors.Join(out.Sync(), to.setTime(toName, i.written()))
}

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
