//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/internal/say"
)

// Dir is an open directory. Its methods take the name of an entry, a single component, and never follow a link at it: what
// another process puts in the way cannot lead outside.
//
// It holds the descriptor itself: an os.File would bring the poller to life, which costs a start of codex more than all listings do.
type Dir struct {
	Path       string
	descriptor int
}

// Open opens the directory at path. A link at its last component is followed only where follow says so: the shared home may
// be a link, a sandbox may not.
func Open(path string, follow LinkPolicy) (Dir, error) {
	flags := unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
	if follow == NoFollow {
		flags |= unix.O_NOFOLLOW
	}
	fd, err := RetryEINTR(func() (int, error) { return unix.Open(path, flags, 0) })
	if err != nil {
		return Dir{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return Dir{WithoutSlash(path), fd}, nil
}

// OpenDir opens the directory called name in d.
func (d Dir) OpenDir(name string) (Dir, error) {
	fd, err := RetryEINTR(func() (int, error) {
		return unix.Openat(d.Fd(), name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return Dir{}, d.Err("open", name, err)
	}
	return Dir{filepath.Join(d.Path, name), fd}, nil
}

// Close of a directory that was not opened does nothing: standard input stays open.
func (d Dir) Close() error {
	if d.Path == "" {
		return nil
	}
	return d.Err("close", "", unix.Close(d.descriptor))
}

func (d Dir) Sync() error { return d.Err("sync", "", unix.Fsync(d.descriptor)) }

func (d Dir) Fd() int { return d.descriptor }

// Stat returns the entry called name; one that is not there is not an error.
func (d Dir) Stat(name string) (Stat, error) {
	var st unix.Stat_t
	err := unix.Fstatat(d.Fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, unix.ENOENT) {
		return Stat{}, nil
	}
	if err != nil {
		return Stat{}, d.Err("stat", name, err)
	}
	return StatOf(&st), nil
}

// Readlink returns the target of the link called name, "" if there is no link.
func (d Dir) Readlink(name string) (string, error) {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(d.Fd(), name, buf)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) {
		return "", nil
	}
	if err != nil {
		return "", d.Err("readlink", name, err)
	}
	return string(buf[:n]), nil
}

func (d Dir) symlink(target, name string) error { return unix.Symlinkat(target, d.Fd(), name) }

func (d Dir) unlink(name string) error { return unix.Unlinkat(d.Fd(), name, 0) }

func (d Dir) rmdir(name string) error { return unix.Unlinkat(d.Fd(), name, unix.AT_REMOVEDIR) }

func (d Dir) mkdir(name string) error { return unix.Mkdirat(d.Fd(), name, 0o700) }

// Link gives the file called name a second name. The error is the bare errno, for the caller to judge.
func (d Dir) Link(name string, to Dir, toName string) error {
	return unix.Linkat(d.Fd(), name, to.Fd(), toName, 0)
}

// Replace renames over what is there.
func (d Dir) Replace(name string, to Dir, toName string) error {
	return to.Err("rename", toName, unix.Renameat(d.Fd(), name, to.Fd(), toName))
}

func (d Dir) moveNew(name string, to Dir, toName string) error {
	err := renameNoReplace(d.Fd(), name, to.Fd(), toName)
	if NoSuchRename(err) { // a file system without RENAME_NOREPLACE: link(2) does not replace either, but links no directories
		if err = d.Link(name, to, toName); errors.Is(err, unix.EPERM) {
			return d.moveUnlinkable(name, to, toName)
		}
		if err == nil {
			if err := d.Unlink(name); err != nil {
				return Undone(err, to.Unlink(toName))
			}
		}
	}
	return err
}

// moveUnlinkable is moveNew of a directory where there is no rename that replaces nothing.
func (d Dir) moveUnlinkable(name string, to Dir, toName string) error {
	if there, err := to.Stat(toName); err != nil || there.Exists() {
		return errors.Join(err, unix.EEXIST)
	}
	return unix.Renameat(d.Fd(), name, to.Fd(), toName)
}

// Exchange swaps two entries at once; d is a directory of ours alone. Where the file system cannot, it takes steps: killed between them, d is left with
// both entries.
func (d Dir) Exchange(name string, to Dir, toName string) error {
	err := renameExchange(d.Fd(), name, to.Fd(), toName)
	if !NoSuchRename(err) {
		return err
	}
	return d.exchangeInSteps(name, to, toName)
}

// ExchangeDirs swaps two directories at once. If the file system cannot, [NoSuchRename] reports true of the error.
func ExchangeDirs(a, b string) error {
	if err := renameExchange(unix.AT_FDCWD, a, unix.AT_FDCWD, b); err != nil {
		return &os.LinkError{Op: "rename", Old: a, New: b, Err: err}
	}
	return nil
}

// open opens a file for reading. A FIFO that was put in its place does not make it wait.
func (d Dir) open(name string) (*os.File, error) {
	fd, err := unix.Openat(d.Fd(), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, d.Err("open", name, err)
	}
	return os.NewFile(uintptr(fd), filepath.Join(d.Path, name)), nil
}

// Mounted refuses to touch a mount point.
func (d Dir) Mounted(name string) error {
	path := filepath.Join(d.Path, name)
	err := Unsafe("%s: is a mount point, left as it is", say.Name(path))
	if say.Name(path) != path {
		return err
	}
	return say.WithHint(err, "umount "+say.ShellQuote(path))
}

// Narrow makes a file owner-only.
func (d Dir) Narrow(name string) error {
	f, err := d.open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}
