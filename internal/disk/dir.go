package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"swop/internal/disk/sys"
	"swop/internal/say"
)

// Rounds bounds how often an entry is judged again because a program changed it meanwhile; then the next run goes on.
const Rounds = 8

// LinkPolicy says whether a link at the end of a path is followed.
type LinkPolicy bool

const (
	Follow   LinkPolicy = true
	NoFollow LinkPolicy = false
)

// WithoutSlash returns path without slashes at its end: links are told by the text before their last slash.
func WithoutSlash(path string) string {
	top := len(filepath.VolumeName(path)) + 1
	for len(path) > top && os.IsPathSeparator(path[len(path)-1]) {
		path = path[:len(path)-1]
	}
	return path
}

// OpenBelow opens the directory at path, which lies below base. No link is followed on the way from base, which is none itself: what is
// put into a sandbox's place after it was checked cannot lead outside.
func OpenBelow(base, path string) (Dir, error) {
	d, err := Open(base, NoFollow)
	for _, name := range strings.Split(strings.Trim(strings.TrimPrefix(path, base), separator), separator) {
		if err != nil || name == "" {
			return d, err
		}
		var next Dir
		next, err = d.OpenDir(name)
		err = errors.Join(err, d.Close())
		d = next
	}
	return d, err
}

const separator = string(filepath.Separator)

// MakeAndOpen opens the directory called name in d, and makes it if it is missing. d is closed.
func (d Dir) MakeAndOpen(name string) (in Dir, err error) {
	for range Rounds {
		if err = d.Mkdir(name); err != nil {
			break
		}
		if in, err = d.OpenDir(name); !errors.Is(err, sys.ENOENT) { // else it was empty, and pruned
			break
		}
	}
	if errors.Is(err, sys.ELOOP) || errors.Is(err, sys.ENOTDIR) {
		path := filepath.Join(d.Path, name)
		err = say.WithHint(Unsafe("%s: is not a directory", say.Name(path)), fmt.Sprintf("mv %s %s", say.ShellQuote(path), say.ShellQuote(path+".old")))
	}
	if closed := d.Close(); err == nil && closed != nil {
		err = errors.Join(closed, in.Close())
	}
	return in, err
}

func (d Dir) Err(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: say.Name(filepath.Join(d.Path, name)), Err: err}
}

// Entry is an entry as the listing of its directory tells it.
type Entry struct {
	Mode fs.FileMode // its type bits: fs.ModeIrregular for all that is no file, directory or link
	Ino  uint64
}

// Entries returns what the directory holds, by name.
func (d Dir) Entries() (map[string]Entry, error) {
	if err := d.rewind(); err != nil {
		return nil, err
	}
	byName := map[string]Entry{}
	err := d.Each(func(name string, entry Entry) error {
		byName[name] = entry
		return nil
	})
	return byName, err
}

// Stat is what an entry is: its identity, and what changes when it is written.
type Stat struct {
	mode         uint32 // type and permissions; 0: there is no such entry
	Dev, Ino     uint64
	Size         int64
	Mtime, Ctime sys.Timespec
}

// StatOf returns what a stat(2) says.
func StatOf(st *sys.Stat_t) Stat {
	return Stat{uint32(st.Mode), uint64(st.Dev), st.Ino, st.Size, st.Mtim, st.Ctim}
}

func (i Stat) Exists() bool { return i.mode != 0 }

func (i Stat) Type() uint32 { return i.mode & sys.S_IFMT }

// Perm returns the permissions, with the bits for setuid, setgid and sticky.
func (i Stat) Perm() uint32 { return i.mode & 0o7777 }

func (i Stat) IsLink() bool { return i.Type() == sys.S_IFLNK }

func (i Stat) IsDir() bool { return i.Type() == sys.S_IFDIR }

func (i Stat) IsRegular() bool { return i.Type() == sys.S_IFREG }

// Movable reports whether an entry of this kind has contents that can be moved; a socket, FIFO or device has not.
func (i Stat) Movable() bool { return i.IsRegular() || i.IsDir() || i.IsLink() }

// Same reports whether both are one file, whatever was written to it between.
func (i Stat) Same(other Stat) bool {
	return i.Exists() && i.Dev == other.Dev && i.Ino == other.Ino && i.Type() == other.Type()
}

// Unmodified reports whether both are one file that was not written between.
func (i Stat) Unmodified(other Stat) bool {
	return i.Same(other) && i.Size == other.Size && i.Mtime == other.Mtime
}

// Mkdir makes a directory, owner-only; one that is there already is no error. On Windows it gets the ACL of the directories above it: swop's root is
// protected.
func (d Dir) Mkdir(name string) error {
	return d.Err("mkdir", name, Ignore(d.MkdirNew(name), sys.EEXIST))
}

// MkdirNew is [Dir.Mkdir] of one that must not be there yet: the error is the bare errno, EEXIST where it is.
func (d Dir) MkdirNew(name string) error {
	err := d.mkdir(name)
	if err == nil {
		err = d.OwnDir(name)
	}
	return err
}

// Symlink makes a link, on Windows a junction to a directory; one that is there already, whatever it is, stays and is no error: the next look
// judges it.
func (d Dir) Symlink(target, name string) error {
	return d.Err("symlink", name, Ignore(d.symlink(target, name), sys.EEXIST))
}

// Unlink removes an entry that is no directory; one that is gone already is no error. Of a link it leaves what that leads to.
func (d Dir) Unlink(name string) error {
	return d.Err("unlink", name, Ignore(d.unlink(name), sys.ENOENT))
}

// Rmdir removes an empty directory.
func (d Dir) Rmdir(name string) error { return d.Err("rmdir", name, d.rmdir(name)) }

// Move renames an entry to a name that is free, or that is a second one of the same file: a killed run may have made it. The error is the bare
// errno, EEXIST where another entry has the name.
func (d Dir) Move(name string, to Dir, toName string) error {
	err := d.moveNew(name, to, toName)
	if errors.Is(err, sys.EEXIST) && d.sameFile(name, to, toName) {
		return d.Unlink(name)
	}
	return err
}

// NoSuchRename reports whether the kernel or the file system does not know a rename with flags.
func NoSuchRename(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, sys.EINVAL)
}

// exchangeInSteps swaps two entries where the file system has no such call, see [Dir.Exchange]: a file gets its new name in d before it loses its
// own, so that nobody sees one missing. Only a directory is away for a moment.
func (d Dir) exchangeInSteps(name string, to Dir, toName string) error {
	out := TempName()
	if err := d.Move(name, d, out); err != nil {
		return err
	}
	err := to.Link(toName, d, name)
	if err == nil {
		err = d.Replace(out, to, toName)
	} else if err = to.Move(toName, d, name); err == nil {
		err = d.Move(out, to, toName)
		if err != nil {
			return Undone(err, errors.Join(d.Move(name, to, toName), d.Move(out, d, name)))
		}
	}
	if err != nil {
		return Undone(err, d.Replace(out, d, name))
	}
	return nil
}

func (d Dir) sameFile(name string, to Dir, toName string) bool {
	i, err := d.Stat(name)
	j, err2 := to.Stat(toName)
	return err == nil && err2 == nil && i.Same(j)
}

// NameMax is the longest name of an entry (NAME_MAX).
const NameMax = 255
